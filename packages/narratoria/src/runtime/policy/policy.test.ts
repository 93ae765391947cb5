import { describe, expect, test } from "vitest";
import { testPermissions } from "../../../test/test-permissions.ts";
import type { Authorization } from "./permissions.ts";
import { NOTHING_GRANTED, parsePolicy, type Policy } from "./policy.ts";
import { isCapability } from "../../story/capabilities.ts";
import type { SandboxLevel } from "../../story/execution-result.ts";
import { bareTool } from "../mounts/resolve-tool.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";

const oven = (...needs: string[]) => ({ ...bareTool("/story/tools/oven", "oven"), needs });
const granting = (...grants: string[]): Policy => ({ sandbox: "any", grants: { oven: grants } });

function authorize(
  tool: ResolvedTool,
  policy: Policy,
  level: SandboxLevel,
  allowUnconfined = false,
): Promise<Authorization> {
  return testPermissions(policy, { level, allowUnconfined }).judge({ storyDir: "/story", tool });
}

async function statuses(needs: string[], grants: string[]): Promise<string[]> {
  return (await authorize(oven(...needs), granting(...grants), "full")).decisions.map(({ status }) => status);
}

describe("[K1.5] capabilities", () => {
  test.each([
    "fs.read",
    "fs.write",
    "fs.temp",
    "net.fetch",
    "net.bind",
    "kv.get",
    "kv.set",
    "secrets.read",
    "exec.spawn",
  ])("%s is one, with or without a scope", (name) => {
    expect([name, `${name}:x`, `${name}:`, `${name}x`, name.toUpperCase()].map(isCapability)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test("other strings are none", () => {
    expect(["", ":", "fs", "read", "fast", "fs.delete", "toString"].some(isCapability)).toBe(false);
  });
});

describe("[K1.5] decisions", () => {
  test("a tool that needs nothing is asked nothing", async () => {
    expect(await authorize(oven(), NOTHING_GRANTED, "full")).toEqual({ decisions: [], refusal: null });
  });

  test.each<[needs: string, grant: string, status: string]>([
    ["net.fetch", "net.fetch", "allow"],
    ["net.fetch:example.org", "net.fetch", "allow"],
    ["net.fetch:example.org", "net.fetch:example.org", "allow"],
    ["net.fetch:example.org.evil", "net.fetch:example.org", "deny"],
    ["net.fetch:example.org/x", "net.fetch:example.org", "deny"],
    ["net.fetch", "net.fetch:example.org", "deny"],
    ["net.bind", "net.fetch", "deny"],
    ["fs.read:/srv/maps", "fs.read:/srv/maps", "allow"],
    ["fs.read:/srv/maps/north", "fs.read:/srv/maps", "allow"],
    ["fs.read:/srv/maps/north", "fs.read:/srv/maps/", "allow"],
    ["fs.read:/srv/maps-secret", "fs.read:/srv/maps", "deny"],
    ["fs.read:/srv/maps/../keys", "fs.read:/srv/maps", "deny"],
    ["fs.read:/srv", "fs.read:/srv/maps", "deny"],
    ["fs.read:/srv/maps", "fs.read:/", "allow"],
    ["fs.write:/srv/maps", "fs.read:/srv/maps", "deny"],
    ["fs.read", "fs.read:/srv/maps", "deny"],
    ["fs.read:saves", "fs.read:saves", "allow"],
    ["fs.read:saves/../..", "fs.read:saves", "deny"],
    ["secrets.read:KEY", "secrets.read", "allow"],
    ["secrets.read:KEY", "secrets.read:OTHER", "deny"],
  ])("asked %s, granted %s: %s", async (needs, grant, status) => {
    expect(await statuses([needs], [grant])).toEqual([status]);
  });

  test("one decision per capability, and one refusal that names all that is missing", async () => {
    const { decisions, refusal } = await authorize(oven("net.fetch", "kv.get", "kv.set"), granting("kv.get"), "full");
    expect(decisions.map(({ capability, status }) => `${status} ${capability}`)).toEqual([
      "deny net.fetch",
      "allow kv.get",
      "deny kv.set",
    ]);
    const message = "oven needs net.fetch, kv.set, which was not granted";
    expect(refusal).toEqual({ category: "forbidden", code: "FORBIDDEN", message });
  });

  test("a mount called like something every object has is granted nothing", async () => {
    const tool = { ...oven("net.fetch"), skill: "constructor" };
    expect((await authorize(tool, NOTHING_GRANTED, "full")).refusal?.code).toBe("FORBIDDEN");
  });

  test.each([
    ["full", "full", undefined],
    ["full", "partial", "SANDBOX_REQUIRED"],
    ["full", "none", "SANDBOX_REQUIRED"],
    ["any", "none", undefined],
    ["full_unless_confirmed", "full", undefined],
    ["full_unless_confirmed", "partial", "UNCONFINED"],
    ["full_unless_confirmed", "none", "UNCONFINED"],
  ] as const)('[Z1.3] [Z1.6] "sandbox": "%s" at the level %s: %s', async (sandbox, level, code) => {
    expect((await authorize(oven(), { sandbox, grants: {} }, level)).refusal?.code).toBe(code);
  });
});

describe("reading a policy", () => {
  test("[Z1.6] nothing said: the full sandbox unless somebody confirmed less, and nothing granted", () => {
    expect(parsePolicy({})).toEqual({ kind: "policy", policy: { sandbox: "full_unless_confirmed", grants: {} } });
  });

  test("every problem with its place", () => {
    const reading = parsePolicy({ sandbox: 1, grants: { a: ["net.fetch"], "b/c": ["fly"], d: {} }, grant: {} });
    expect(reading.kind === "invalid" ? reading.problems.map(({ pointer }) => pointer) : []).toEqual([
      "/grant",
      "/sandbox",
      "/grants/b~1c",
      "/grants/d",
    ]);
  });
});
