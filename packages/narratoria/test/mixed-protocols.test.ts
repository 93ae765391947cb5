/** One plan, three protocols, data flowing through all of them: nobody can tell from the plan which is which. */
import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { eventSchema } from "../src/story/event.ts";
import { executionResultSchema } from "../src/story/execution-result.ts";
import { makeStoryFolder } from "./narrator-session.ts";
import { narratoria } from "./narratoria-command.ts";
import { eventsNamed } from "./scripted-host.ts";

const MODULES = fileURLToPath(new URL("./fixtures/modules/", import.meta.url));

test("[P1.4] [R1.3] [Y1.1] [A1.9] a program's patch feeds a Python function, whose result feeds a module: one plan, one trace", async () => {
  const story = makeStoryFolder({
    "story.json": JSON.stringify({
      mounts: [
        mount("finder", { protocol: "narratoria/0", transport: { type: "stdio", command: ["./finder.sh"] } }),
        mount("louder", { protocol: "namel3ss/1", entry: "louder:shout", transport: { type: "stdio" } }),
        mount("mirror", {
          protocol: "amplifier/1",
          transport: { type: "stdio", command: ["node", "mirror-stdio.mjs"] },
        }),
      ],
    }),
    "finder.sh": `#!/bin/sh
echo '{"version":"0","type":"state_patch","patch":{"found":{"word":"lamp"}}}'
echo '{"version":"0","type":"done","ok":true}'
`,
    "louder.py": `def shout(payload):\n    return {"text": payload["word"].upper()}\n`,
    "plan.json": JSON.stringify({
      requestId: "mixed",
      narrative: "",
      parallel: true,
      tools: [
        {
          toolId: "c",
          toolPath: "mirror",
          operation: "echo",
          input: { text: from("b", "/text") },
          dependencies: ["b"],
        },
        { toolId: "b", toolPath: "louder", input: { word: from("a", "/found/word") }, dependencies: ["a"] },
        { toolId: "a", toolPath: "finder" },
      ],
    }),
  });
  chmodSync(join(story, "finder.sh"), 0o755);
  for (const file of ["mirror.mjs", "mirror-stdio.mjs"]) copyFileSync(join(MODULES, file), join(story, file));

  const { stdout, stderr } = await narratoria(["run", join(story, "plan.json"), "--events"]);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
  const result = executionResultSchema.parse(lines.pop());
  expect(result.success, stderr + JSON.stringify(result.toolResults)).toBe(true);
  const outputs = Object.fromEntries(result.toolResults.map(({ toolId, output }) => [toolId, output]));
  expect(outputs).toMatchObject({ a: { found: { word: "lamp" } }, b: { text: "LAMP" }, c: { args: { text: "LAMP" } } });

  const events = lines.map((line) => eventSchema.parse(line));
  expect(new Set(events.map(({ request_id }) => request_id))).toEqual(new Set(["mixed"]));
  const ends = eventsNamed(events, "tool:end");
  expect(ends.map(({ data }) => data.toolId)).toEqual(["a", "b", "c"]);
  expect(new Set(ends.map(({ data }) => data.sandbox)).size).toBe(1);
});

function mount(name: string, more: JsonObject): JsonObject {
  return { name, kind: "tool", capabilities: [], ...more };
}

function from(toolId: string, path: string): JsonObject {
  return { $from: toolId, path };
}
