/** What a tool prints, once more, from real processes: the runner comes to the same outcome as for the same bytes at hand. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolEvent } from "@narratoria/tool/protocol";
import { createProcessRunner } from "../../src/runners/process.ts";
import { bareTool } from "../../src/runtime/mounts/resolve-tool.ts";
import type { AttemptOutcome } from "../../src/runtime/seams/tool-runner.ts";
import { createUnconfined } from "../../src/sandbox/unconfined.ts";
import { portTo } from "../attempt-port.ts";
import { must, mustBeSame, type FuzzTarget } from "./target.ts";
import { MOST_LINE_BYTES, outputs, read } from "./tool-output.ts";

export const toolProcesses: FuzzTarget = {
  few: 20,
  open: async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-fuzz-")));
    const file = join(folder, "printed");
    const runner = createProcessRunner({ sandbox: createUnconfined(), maxLineBytes: MOST_LINE_BYTES });
    // Without the resolving of a plan's paths: a program that prints a file is all that is needed.
    const tool = { ...bareTool(file, "printer"), command: ["/bin/cat", file] };
    return {
      inputs: outputs,
      try: async (input) => {
        writeFileSync(file, input);
        const events: ToolEvent[] = [];
        const port = portTo(({ event }) => void events.push(event));
        const call = {
          requestId: "r",
          mount: { tool, storyDir: folder, secrets: {} },
          operation: "run",
          input: {},
          dependencies: {},
          state: null,
          timeoutMs: 60_000,
        };
        const about = { storyTitle: "T", sessionId: null };
        const { outcome } = await runner.run({ ...call, ...about }, port, new AbortController().signal);
        const expected = await read([input]);
        mustBeSame(events, expected.events, "the events of a process and of the same bytes");
        const code = expected.problem ?? expected.halfLine;
        must(codeOf(outcome) === (code ?? codeOf(outcome)), `it came to ${codeOf(outcome)} instead of ${code}`);
        must(code === null || outcome.kind === "failed", "it completed with a violation");
        return codeOf(outcome);
      },
      close: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};

function codeOf(outcome: AttemptOutcome): string {
  if (outcome.kind === "completed") return "completed";
  return outcome.error.category === "tool_failure" ? "failed" : outcome.error.code;
}
