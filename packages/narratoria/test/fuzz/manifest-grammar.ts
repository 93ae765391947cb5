/** Manifests, stories and their settings as grammars and seeds: half of what these make could be mounted. */
import type { Json, JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";
import { stringify } from "yaml";
import { MODULE_KINDS, TOOL_PROTOCOLS } from "../../src/story/module-descriptor.ts";
import { damaged } from "../mutated-json.ts";
import { hostileText } from "./hostile-pieces.ts";

const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const pick = <Value>(...values: Value[]): fc.Arbitrary<Value> => fc.constantFrom(...values);
const name = fc.oneof({ weight: 4, arbitrary: pick("it", "lamp", "__proto__", "constructor") }, hostileText);
/** Mostly what is right there. */
const mostly = <Value>(right: fc.Arbitrary<Value>, ...wrong: Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 24, arbitrary: right }, { weight: 1, arbitrary: pick(...wrong) });

const command = mostly(
  pick(
    ["./run"],
    ["sh", "run.sh"],
    ["node", "-e", "1"],
    ["python3", "../../../../bin/x.py"],
    ["npx", "-y", "x"],
    ["builtin:torch-lighter"],
    ["builtin:recorded", "../../story.json"],
    ["/bin/sh"],
    ["./x\0y", "z\0"],
    ["x".repeat(300)],
    [`./${"x/".repeat(3_000)}`],
  ),
  ["builtin:../../x"],
  ["builtin:recorded"],
  ["builtin:recorded", "a\0b"],
  [""],
  [],
);
const url = mostly(pick("http://h/x", "https://[::1]:1/", "HTTP://a:b@h?x#y"), "http://%", "ftp://x", "http://h x", "");
const transport = (protocol: string | null): fc.Arbitrary<Json> => {
  const stdio = fc.record({ type: pick("stdio"), ...(protocol === "namel3ss/1" ? {} : { command }) });
  const http = fc.record({ type: pick("http"), url });
  return mostly<Json>(
    protocol === "narratoria/0" ? stdio : fc.oneof(stdio, http),
    {},
    { type: "http" },
    { type: "stdio", url: "http://h" },
  );
};
const pointers = mostly(pick<Json>([], [""], ["/a", "/a~1b/0"], ["/__proto__"]), ["a"], ["/~2"], "x");

/** What every kind may have. */
const common = {
  version: mostly<Json>(pick("1", ""), 1),
  description: hostileText,
  reads: pointers,
  writes: pointers,
  into: mostly<Json>(pick("/greeting", ""), "x"),
  events: mostly<Json>(pick(["turn:end", "tool:*"], ["*"]), ["x"], {}),
  priority: mostly<Json>(pick(0, -1), 1.5, 1e300),
  gate: mostly<Json>(fc.boolean(), "yes"),
  timeoutMs: mostly<Json>(pick(1, 5000, 2 ** 31 - 1), 0, 2 ** 31, "5"),
  shared: fc.boolean(),
  limits: mostly<Json>(
    pick({}, { memoryMb: 64, openFiles: null }, { outputMb: 1e9, cpuSeconds: 2 ** 53 - 1 }),
    { memoryMb: 0 },
    { diskMb: "x" },
  ),
  inputs: mostly<Json>(pick<Json>({}, { type: "object" }, { $ref: "#" }), []),
  outputs: pick<Json>({}),
  entry: mostly<Json>(pick("a.b:c", "a"), "", 7),
};

export const MANIFESTS: fc.Arbitrary<JsonObject> = fc.constantFrom(...TOOL_PROTOCOLS, null).chain(
  (protocol) =>
    fc.record(
      {
        name: mostly<Json>(name, "", 7),
        kind: mostly<string>(pick(...MODULE_KINDS), "x"),
        transport: transport(protocol),
        capabilities: mostly<Json>(
          pick([], ["net.fetch"], ["fs.read:/etc", "exec.spawn", "secrets.get:X"], ["nonsense"], ["fs.write:a\0b"]),
          "net.fetch",
          [1],
        ),
        ...(protocol !== null && { protocol: fc.constant(protocol) }),
        ...common,
        container: mostly<Json>(
          pick(null),
          { image: "i:1" },
          { image: "-v" },
          { image: "a,b", env: { "A=": "" } },
          { image: "i", env: { A: 1 } },
        ),
      },
      {
        requiredKeys: [
          "name",
          "kind",
          "transport",
          "capabilities",
          ...(protocol === null ? [] : ["protocol"]),
          ...(protocol === "namel3ss/1" ? ["entry"] : []),
        ] as never[],
      },
    ) as fc.Arbitrary<JsonObject>,
);

const words = fc.array(
  mostly(
    hostileText.map((text) => `x${text}`),
    "",
  ),
  { minLength: 1, maxLength: 3 },
);

export const STORY_FILES: fc.Arbitrary<JsonObject> = fc.record(
  {
    title: optional(hostileText),
    version: optional(pick("1.0.0", "")),
    author: optional(hostileText),
    description: optional(hostileText),
    goal: optional(hostileText),
    narrator: mostly<Json>(pick("ink", "stub", "module", "__proto__"), "", 1),
    narratorFile: mostly<Json>(pick("story.ink", "../x", "a\0b", "/etc/passwd", "x".repeat(300)), ""),
    mounts: mostly<Json>(fc.array(MANIFESTS, { maxLength: 3 }), [null, 1, [], "x"], {}),
    state: optional(fc.dictionary(pick("a", "__proto__", ""), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 })),
    synonyms: optional(fc.dictionary(mostly(pick("look", "__proto__"), ""), words, { maxKeys: 2 })),
    voice: optional(fc.record({ unmatched: words, help: mostly(pick("x"), "") }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

const planned = fc.record({
  tools: mostly<Json>(
    pick<Json>([], [{ toolId: "a", toolPath: "lamp" }], [{ toolId: "a", toolPath: "../x", dependencies: [] }]),
    [{ toolId: "a", toolPath: "" }],
    [{ toolId: "a", toolPath: "x", dependencies: ["a"] }],
  ),
});
export const STUB_PLANS: fc.Arbitrary<object> = fc.array(
  fc.record(
    {
      match: mostly(
        fc.oneof(
          pick("light the torch"),
          hostileText.map((text) => `x${text}`),
        ),
        "",
      ),
      pattern: mostly(
        pick("/^dig/i", "/x/gy", "/torch/", "light", "/(?<a>x)\\k<a>/u", "/[\\p{L}--[a-z]]/v"),
        "(",
        "/x/zz",
        "\\",
        "",
      ),
      opening: fc.boolean(),
      plan: planned,
      plans: fc.array(planned, { maxLength: 2 }),
      narrative: hostileText,
      choices: words,
    },
    { requiredKeys: ["match"] },
  ),
  { maxLength: 4 },
);

const bindings = fc.record(
  {
    kind: mostly<Json>(pick("python"), "ruby", null),
    runner: mostly<Json>(pick("local", "service"), "container", 1),
    entry: mostly<Json>(pick("a.b:c"), "a", null, 7),
    url: mostly<Json>(pick("http://h/x"), "h", null),
    image: mostly<Json>(pick("i:1"), "-v", null),
    command: mostly<Json>(pick(["x"]), "x", null),
    timeout_ms: mostly<Json>(pick(5, null), 0, "5", 2 ** 40),
    env: mostly<Json>(pick({ A: "b" }, null), { A: 1 }, []),
  },
  { requiredKeys: ["entry", "url"] },
) as fc.Arbitrary<JsonObject>;

/** A pack with its entry points. */
export const PACKS: fc.Arbitrary<Uint8Array> = fc
  .record(
    {
      id: mostly<Json>(pick("it", null), "other", 7, []),
      version: mostly<Json>(pick<Json>("1.0", 1.1), null, {}),
      tools: mostly<Json>(pick(null), ["a", "b"], [1], "a", {}),
      runners: mostly<Json>(pick({ default: "local" }, null), { default: 3 }, "local"),
      service_url: mostly<Json>(pick("http://h/x", null), "h"),
      container: mostly<Json>(pick({ image: "i:1" }, null), "i:1"),
      entrypoints: fc.dictionary(name, fc.oneof(bindings, damaged(bindings)), { maxKeys: 3 }),
    },
    { requiredKeys: ["entrypoints"] },
  )
  .map((value) => Buffer.from(stringify(value)));

export const PACK_SEEDS = [
  "id: it\nname: It\nversion: 1.10\ntools:\n  - greet\nentrypoints:\n  greet:\n    entry: tools.sample:greet\n",
];

/** As a front matter, or as the tools of a namel3ss project. */
export function yamlOf(manifests: fc.Arbitrary<JsonObject>, isFrontMatter: boolean): fc.Arbitrary<Uint8Array> {
  const front = fc.oneof(manifests, damaged(manifests), fc.record({ name, description: hostileText }));
  const project = fc
    .dictionary(name, fc.oneof(bindings, damaged(bindings)), { maxKeys: 3 })
    .map((tools): JsonObject => ({ tools }));
  return (isFrontMatter ? front : project).map((value) => {
    const text = stringify(value);
    return Buffer.from(isFrontMatter ? `---\n${text}---\nWords.\n` : text);
  });
}

export const SKILL_SEEDS = [
  "---\nname: maps\ndescription: Draws maps.\n---\n# Maps\n",
  "---\r\nname: 'a: b'\r\ndescription: >\r\n  folded\r\n  text\r\nmetadata: {a: [1, 2]}\r\n---\r\n",
  "---\na: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nname: *c\n---\n",
  "---\nname: !!binary aGk=\n? [complex, key]\n: value\n<<: {x: 1}\nwhen: 2026-11-17\n---\n",
  "---\nname: x\n__proto__: {a: 1}\nconstructor: 1\n---\n",
];

export const YAML_SEEDS = [
  "tools:\n  greet:\n    kind: python\n    entry: tools.sample:greet\n    timeout_ms: 500\n    env: {A: b}\n",
  "tools:\n  far: {kind: python, runner: service, entry: 'a:b', url: http://127.0.0.1:9/run}\n  box:\n    runner: container\n    entry: a:b\n    image: i:1\n",
  "a: &a [x]\ntools: &t\n  one: &o {entry: 'a:b'}\n  two: *o\n  three:\n    <<: *o\n",
  "# nothing\ntools:\n",
  "tools: {'__proto__': {entry: 'a:b'}, 1: {entry: 'a:b'}, ? [a] : {entry: 'a:b'}}\n",
];

export const TOML_SEEDS = [
  '[python_tools]\ntimeout_seconds = 10\nservice_url = "http://127.0.0.1:9000/run"\n',
  'title = "x"\n[python_tools]\ntimeout_seconds = 0.5\n[[a]]\nb = 1979-05-27T07:32:00Z\nc = inf\nd = 0xff\n',
  'python_tools = { timeout_seconds = 9223372036854775807, "__proto__" = 1 }\n',
  "a.b.c = 1\na.b.d = '''\nx'''\n[a.e]\n[python_tools.timeout_seconds]\n",
];
