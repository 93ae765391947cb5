/** Files of a person's own that decide who may do what: a policy, and what was granted in the app. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readJson, type Json, type JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";
import { coversAny, parsePolicy } from "../../src/runtime/policy/policy.ts";
import { createGrantFile } from "../../src/stores/grant-file.ts";
import { createSignInFile } from "../../src/stores/sign-in-file.ts";
import { isCapability } from "../../src/story/capabilities.ts";
import { parsePointer } from "../../src/story/json-pointer.ts";
import { damaged } from "../mutated-json.ts";
import { sometimesSpoiled, spoiled } from "./mutate-bytes.ts";
import { must, mustBeSame, mustBeWords, type FuzzTarget } from "./target.ts";

const CAPABILITIES = [
  "net.fetch",
  "fs.read:/srv",
  "fs.read:/srv/../etc",
  "fs.write:a\0b",
  "exec.spawn:x",
  "secrets.get:K",
  "nonsense",
  "fs.read",
  `fs.read:/${"x/".repeat(3_000)}`,
];
const capabilities = fc.array(fc.constantFrom(...CAPABILITIES), { maxLength: 3 });
const mount = fc.constantFrom("lamp", "__proto__", "constructor", "");

const policies = fc.record(
  { sandbox: fc.constantFrom("full", "any", "none"), grants: fc.dictionary(mount, capabilities, { maxKeys: 3 }) },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

const granted = fc.record({
  version: fc.constantFrom(2, 2, 2, 1),
  grants: fc.array(
    fc.record({
      story: fc.constantFrom("/story", ""),
      mount,
      capabilities,
      parts: fc.dictionary(fc.constantFrom("program", "__proto__"), fc.constant("x"), { maxKeys: 2 }),
    }),
    { maxLength: 2 },
  ),
  unconfined: fc.array(fc.constantFrom("/story", ""), { maxLength: 2 }),
}) as fc.Arbitrary<JsonObject>;

const SEEDS = [
  '{"sandbox":"any","grants":{"lamp":["net.fetch","fs.read:/srv"]}}',
  '{"version":2,"grants":[{"story":"/s","mount":"lamp","capabilities":["net.fetch"],"parts":{"program":"x"}}],"unconfined":["/s"]}',
  '[{"hash":"x","expiresAt":99999999999999}]',
];

export const permissionFiles: FuzzTarget = {
  few: 400,
  open: async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-fuzz-")));
    const file = join(folder, "kept.json");
    const documents = fc
      .oneof(policies, damaged(policies), granted, damaged(granted))
      .map((value) => Buffer.from(JSON.stringify(value)));
    return {
      inputs: fc.oneof({ weight: 3, arbitrary: sometimesSpoiled(documents) }, spoiled(SEEDS)),
      try: (input) => {
        writeFileSync(file, input, { mode: 0o600 });
        return `${tryPolicy(input)}, ${tryGrants(file)}, ${tryKeys(file)}`;
      },
      close: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};

function tryPolicy(input: Buffer): string {
  const reading = readJson(input.toString("utf8"));
  if (reading.kind !== "value") return "no JSON";
  const parsed = parsePolicy(reading.value);
  if (parsed.kind === "invalid") {
    must(parsed.problems.length > 0, "a policy is refused for nothing");
    for (const { pointer, message } of parsed.problems) {
      must(parsePointer(pointer) !== null, `${pointer} is no pointer`);
      mustBeWords(message, "a problem");
    }
    return "no policy";
  }
  const { sandbox, grants } = parsed.policy;
  const said = reading.value as { sandbox?: Json; grants?: Json };
  must(
    sandbox === (said.sandbox ?? "full_unless_confirmed"),
    `it says ${JSON.stringify(said.sandbox)}, and means ${sandbox}`,
  );
  mustBeSame(grants, said.grants ?? {}, "what is granted and what was written");
  for (const list of Object.values(grants)) {
    must(list.every(isCapability), "what is no capability is granted");
    // What it grants covers itself, and nothing of another kind.
    for (const grant of list) must(coversAny(list, grant, "/story"), `${grant} does not cover itself`);
    if (!list.some((grant) => grant.startsWith("secrets.get")))
      must(!coversAny(list, "secrets.get:K", "/story"), "a secret is given");
    if (!list.some((grant) => grant.startsWith("fs.write")))
      must(!coversAny(list, "fs.write:/etc", "/story"), "a folder is given");
  }
  return "a policy";
}

/** Whatever cannot be read grants nothing; what can is the same when it is written again. */
function tryGrants(file: string): string {
  const keeper = createGrantFile(file);
  const kept = keeper.load();
  if (kept.grants.length + kept.unconfined.length === 0) return "nothing kept";
  keeper.save(kept);
  mustBeSame(keeper.load(), kept, "grants and their copy");
  return "grants";
}

function tryKeys(file: string): string {
  const keeper = createSignInFile(file);
  const keys = keeper.load();
  keeper.save(keys);
  mustBeSame(keeper.load(), keys, "keys and their copy");
  return keys.length === 0 ? "no keys" : "keys";
}
