/** The story of docs/find-out-why.md, read from that page, and beside it tools that print too much. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { makeStory, type MadeStory } from "../made-story.ts";

const page = readFileSync(path.resolve(import.meta.dirname, "../../../../docs/find-out-why.md"), "utf8");

/** The first block of code after a line that begins with this file's name. */
function blockOf(file: string): string {
  const from = page.indexOf(`\`${file}\``);
  const [, text] = /```\w+\n([\s\S]*?)```/.exec(page.slice(from)) ?? [];
  if (from === -1 || text === undefined) throw new Error(`docs/find-out-why.md has no ${file}`);
  return text;
}

export function makePumpStory(): MadeStory {
  const plans = JSON.parse(blockOf("plans.json")) as object[];
  const tool = (name: string): object => ({
    match: name,
    plan: { tools: [{ toolId: name, toolPath: name, timeoutMs: 60_000, retryPolicy: { maxRetries: 0 } }] },
    narrative: `You ${name}.`,
    choices: ["Open the valve"],
  });
  const story = makeStory({
    "story.json": blockOf("story.json"),
    "plans.json": JSON.stringify([...plans, tool("flood"), tool("unroll")]),
    "tools/valve.py": blockOf("tools/valve.py"),
    "tools/gauge": blockOf("tools/gauge"),
    "tools/bucket": blockOf("tools/gauge"),
    "tools/flood.py": FLOOD,
    "tools/unroll.py": UNROLL,
    "tools/whisper/tool.json": WHISPER,
    "tools/whisper/whisper.sh": 'echo \'{"version":"0","type":"done","ok":true}\'',
  });
  return story;
}

export const FLOOD_LINES = 100_000;

/** 100,000 lines, 20,000 a second; every thousandth is a warning. */
const FLOOD = `#!/usr/bin/env python3
import json, sys, time

began = time.monotonic()
for batch in range(${FLOOD_LINES} // 1000):
    lines = []
    for index in range(1000):
        number = batch * 1000 + index + 1
        level = "warn" if number % 1000 == 0 else "info"
        message = f"line {number}: the water rises by a finger's breadth and falls again"
        lines.append(json.dumps({"version": "0", "type": "log", "level": level, "message": message}))
    sys.stdout.write("\\n".join(lines) + "\\n")
    sys.stdout.flush()
    time.sleep(max(0, began + (batch + 1) * 0.05 - time.monotonic()))
print(json.dumps({"version": "0", "type": "done", "ok": True, "summary": "All ${FLOOD_LINES} lines are out."}))
`;

/** One line of seven megabytes, and one that pretends to be another. */
const UNROLL = `#!/usr/bin/env python3
import json
long = "x" * 7_000_000 + " the end of it"
for message in [long, "harmless\\u202Egnp.exe\\u200b", "<img src=x onerror=window.ran=1>"]:
    print(json.dumps({"version": "0", "type": "log", "level": "info", "message": message}))
print(json.dumps({"version": "0", "type": "done", "ok": True}))
`;

const WHISPER = {
  name: "whisper",
  kind: "tool",
  protocol: "narratoria/0",
  description: "Asks the weather.",
  transport: { type: "stdio", command: ["sh", "whisper.sh"] },
  capabilities: ["net.fetch:example.org"],
};
