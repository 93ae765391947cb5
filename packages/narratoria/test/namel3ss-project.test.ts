/** A namel3ss project in a story's folder, run with real Python; how it is read is tested beside `namel3ss-project.ts`. */
import { expect, test } from "vitest";
import { narratoria } from "./narratoria-command.ts";
import { createPythonStory, type PythonStory } from "./python-story.ts";

const GREETER = 'def greet(payload):\n    return {"message": f"Hello {payload[\'name\']}", "ok": True}\n';

test("[Y1.7] an existing project runs unchanged, and its trace says binding", async () => {
  using story = createPythonStory({
    ".namel3ss/tools.yaml": 'tools:\n  "greet someone":\n    kind: "python"\n    entry: "tools.sample_tool:greet"\n',
    "tools/sample_tool.py": GREETER,
  });
  const result = await runPlan(story, [{ toolId: "greet", toolPath: "greet someone", input: { name: "Ada" } }]);
  expect(result).toMatchObject({
    success: true,
    toolResults: [
      {
        output: { message: "Hello Ada", ok: true },
        attempts: [{ trace: { runner: "local", resolved_source: "binding", timeout_ms: 10_000 } }],
      },
    ],
  });
});

test("[R1.3] into puts the result into the state, $from hands it on, and writes holds it back", async () => {
  using story = createPythonStory({ "tools/sample_tool.py": GREETER });
  const entry = "tools.sample_tool:greet";
  story.write(
    "story.json",
    JSON.stringify({
      mounts: [
        { ...manifest("greeter"), entry, into: "/greeting", writes: ["/greeting"] },
        { ...manifest("trespasser"), entry, into: "/greeting", writes: ["/elsewhere"] },
      ],
    }),
  );
  const result = await runPlan(story, [
    { toolId: "one", toolPath: "greeter", input: { name: "Ada" } },
    { toolId: "two", toolPath: "greeter", dependencies: ["one"], input: { name: { $from: "one", path: "/message" } } },
    { toolId: "three", toolPath: "trespasser", required: false, input: { name: "Eve" } },
  ]);
  expect(result).toMatchObject({
    aggregatedState: { greeting: { message: "Hello Hello Ada", ok: true } },
    toolResults: [
      { output: { message: "Hello Ada" } },
      { output: { message: "Hello Hello Ada" } },
      { ok: false, output: null, errorDetail: { category: "forbidden", code: "FORBIDDEN_WRITE" }, retryCount: 0 },
    ],
  });
});

test("[Y1.5] a tool from an allowed folder is an installed pack, and says whose", async () => {
  using story = createPythonStory({});
  using elsewhere = createPythonStory({ "tools/sample_tool.py": GREETER });
  elsewhere.write(
    "tool.json",
    JSON.stringify({ ...manifest("packed"), version: "2.1.0", entry: "tools.sample_tool:greet" }),
  );
  const plan = [{ toolId: "greet", toolPath: elsewhere.path, input: { name: "Ada" } }];
  expect(await runPlan(story, plan, ["--allow-tools", elsewhere.path])).toMatchObject({
    toolResults: [
      {
        ok: true,
        attempts: [
          {
            trace: {
              resolved_source: "installed_pack",
              pack_id: "packed",
              pack_name: "packed",
              pack_version: "2.1.0",
            },
          },
        ],
      },
    ],
  });
});

function manifest(name: string): object {
  return { name, kind: "tool", protocol: "namel3ss/1", entry: "a:b", transport: { type: "stdio" }, capabilities: [] };
}

async function runPlan(story: PythonStory, planTools: object[], more: string[] = []): Promise<unknown> {
  const plan = story.write("plan.json", JSON.stringify({ requestId: "p", narrative: "", tools: planTools }));
  const { stdout, stderr } = await narratoria(["run", plan, ...more]);
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as unknown;
}
