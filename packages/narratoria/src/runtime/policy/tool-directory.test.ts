import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testPermissions } from "../../../test/test-permissions.ts";
import { NOTHING_KNOWN } from "../mounts/mount-health.ts";
import { NOTHING_KEPT, type Kept } from "./grant-book.ts";
import { createToolDirectory, type ToolDirectory } from "./tool-directory.ts";

let story: string;
let stories: string[];
let tools: ToolDirectory;
let kept: Kept;

beforeEach(() => {
  story = mkdtempSync(join(tmpdir(), "narratoria-tools-"));
  mkdirSync(join(story, "tools"));
  writeFileSync(join(story, "tools", "lamp"), "#!/bin/sh\n", { mode: 0o755 });
  kept = NOTHING_KEPT;
  const keeper = { load: () => NOTHING_KEPT, save: (now: Kept) => void (kept = now) };
  const policy = { sandbox: "any", grants: { lamp: ["fs.read:/maps"] } } as const;
  const permissions = testPermissions(policy, { keeper, policyHoldsFor: (dir) => dir === story });
  stories = [story];
  const summary = { title: "", author: null, description: null };
  tools = createToolDirectory(() => stories.map((dir) => ({ dir, ...summary })), permissions, NOTHING_KNOWN);
});
afterEach(() => rmSync(story, { recursive: true, force: true }));

describe("[K1.5] the tools of the stories and their grants", () => {
  test("are listed", async () => {
    const lamp = { name: "lamp", story, protocol: "narratoria/0", capabilities: [], grants: ["fs.read:/maps"] };
    expect(await tools.list()).toMatchObject([lamp]);
  });

  test("are granted and revoked, and kept", async () => {
    expect(await tools.grant({ name: "lamp" }, "net.fetch")).toEqual({ granted: ["fs.read:/maps", "net.fetch"] });
    expect(kept.grants).toMatchObject([{ story, mount: "lamp", capabilities: ["net.fetch"] }]);
    expect(await tools.revoke({ name: "lamp" }, "net.fetch")).toEqual({ granted: ["fs.read:/maps"] });
    expect(kept.grants).toEqual([]);
  });

  test.each([
    ["another", "net.fetch", "not_found"],
    ["__proto__", "net.fetch", "not_found"],
    ["lamp", "everything", "bad_request"],
  ])("%s cannot be granted %s", async (name, capability, code) => {
    expect(await tools.grant({ name }, capability)).toMatchObject({ kind: "refused", code });
    expect(kept).toBe(NOTHING_KEPT);
  });

  test("[Z1.5] where several stories have such a tool, it must be said which; the other gets nothing", async () => {
    const another = mkdtempSync(join(tmpdir(), "narratoria-tools-"));
    cpSync(story, another, { recursive: true });
    stories.push(another);
    expect(await tools.grant({ name: "lamp" }, "net.fetch")).toMatchObject({ kind: "refused", code: "bad_request" });
    expect(await tools.grant({ name: "lamp", story: another }, "net.fetch")).toEqual({ granted: ["net.fetch"] });
    expect((await tools.list()).map(({ grants }) => grants)).toEqual([["fs.read:/maps"], ["net.fetch"]]);
    const nowhere = { name: "lamp", story: join(another, "tools") };
    expect(await tools.grant(nowhere, "net.fetch")).toMatchObject({ kind: "refused", code: "not_found" });
    rmSync(another, { recursive: true });
  });

  test("what the policy grants is not revoked here", async () => {
    expect(await tools.revoke({ name: "lamp" }, "fs.read:/maps")).toMatchObject({ kind: "refused", code: "conflict" });
  });
});
