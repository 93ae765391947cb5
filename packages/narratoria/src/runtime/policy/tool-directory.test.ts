import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPermissions } from "./permissions.ts";
import { createToolDirectory, type ToolDirectory } from "./tool-directory.ts";

let story: string;
let tools: ToolDirectory;
let kept: { [skill: string]: string[] };

beforeEach(() => {
  story = mkdtempSync(join(tmpdir(), "narratoria-tools-"));
  mkdirSync(join(story, "tools"));
  writeFileSync(join(story, "tools", "lamp"), "#!/bin/sh\n", { mode: 0o755 });
  kept = {};
  const keeper = { load: () => ({}), save: (grants: typeof kept) => void (kept = grants) };
  const permissions = createPermissions({ sandbox: "any", grants: { lamp: ["fs.read:/maps"] } }, keeper, false);
  tools = createToolDirectory(() => [{ dir: story, title: "", author: null, description: null }], permissions);
});
afterEach(() => rmSync(story, { recursive: true, force: true }));

describe("[K1.5] the tools of the stories and their grants", () => {
  test("are listed", async () => {
    const lamp = { name: "lamp", story, protocol: "narratoria/0", capabilities: [], grants: ["fs.read:/maps"] };
    expect(await tools.list()).toMatchObject([lamp]);
  });

  test("are granted and revoked, and kept", async () => {
    expect(await tools.grant("lamp", "net.fetch")).toEqual({ granted: ["fs.read:/maps", "net.fetch"] });
    expect(kept).toEqual({ lamp: ["net.fetch"] });
    expect(await tools.revoke("lamp", "net.fetch")).toEqual({ granted: ["fs.read:/maps"] });
    expect(kept).toEqual({ lamp: [] });
  });

  test.each([
    ["another", "net.fetch", "not_found"],
    ["__proto__", "net.fetch", "not_found"],
    ["lamp", "everything", "bad_request"],
  ])("%s cannot be granted %s", async (name, capability, code) => {
    expect(await tools.grant(name, capability)).toMatchObject({ kind: "refused", code });
    expect(kept).toEqual({});
  });

  test("what the policy grants is not revoked here", async () => {
    expect(await tools.revoke("lamp", "fs.read:/maps")).toMatchObject({ kind: "refused", code: "conflict" });
  });
});
