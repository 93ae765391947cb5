import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bareTool } from "../mounts/resolve-tool.ts";
import { validatePlan, type PlanValidation } from "./validate-plan.ts";

let root: string;
let storyDir: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "narratoria-validate-"));
  storyDir = join(root, "story");
  for (const folder of ["story/tools/lamp", "story-evil", "allowed"])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ["story/torch", "story/..odd", "story-evil/tool", "allowed/tool"])
    writeFileSync(join(root, file), "");
  symlinkSync("../story-evil", join(storyDir, "door"));
  symlinkSync("../story-evil/not there yet", join(storyDir, "dangling"));
  symlinkSync("loop", join(storyDir, "loop"));
  symlinkSync("torch", join(storyDir, "same-torch"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("[P1.5] where a tool may come from", () => {
  test.each([
    ["a file of the story", "torch"],
    ["a detour that stays inside", "./tools/../torch"],
    ["a link inside the story", "same-torch"],
    ["a name that begins with dots", "..odd"],
    ["a path that does not exist, inside", "tools/none/at all"],
    ["a mount's name", "mounted"],
  ])("allowed: %s", (_, toolPath) => {
    expect(validate([{ toolId: "a", toolPath }]).kind).toBe("valid");
  });

  test("allowed: an absolute path into the story", () => {
    expect(validate([{ toolId: "a", toolPath: join(storyDir, "torch") }]).kind).toBe("valid");
  });

  test.each([
    ["a program of the system", "/bin/rm"],
    ["up and out", "../.."],
    ["a folder whose name only begins alike", "../story-evil/tool"],
    ["through a linked folder", "door/tool"],
    ["through a linked folder to what does not exist", "door/none"],
    ["a link to what does not exist", "dangling"],
    ["a folder that was not allowed this time", "../allowed/tool"],
    ["a zero byte", "torch\0"],
    ["a name looked up on the PATH", "../../../../../../../../bin/sh"],
  ])("PATH_FORBIDDEN: %s", (_, toolPath) => {
    expect(problems(validate([{ toolId: "a", toolPath }]))).toEqual(["PATH_FORBIDDEN /tools/0/toolPath"]);
  });

  test("a link that leads to itself is no way out", () => {
    expect(validate([{ toolId: "a", toolPath: "loop" }]).kind).toBe("valid");
  });

  test("--allow-tools opens exactly that folder", () => {
    const allowed = [join(root, "allowed")];
    expect(validate([{ toolId: "a", toolPath: "../allowed/tool" }], allowed).kind).toBe("valid");
    expect(validate([{ toolId: "a", toolPath: "../story-evil/tool" }], allowed).kind).toBe("invalid");
  });
});

describe("[P1.2] every problem at once", () => {
  test("of the plan's own form and of its paths, each by its pointer", () => {
    const validation = validate([
      { toolId: "a", toolPath: "torch", dependencies: ["b"] },
      { toolId: "b", toolPath: "/bin/rm", dependencies: ["a"] },
      { toolId: "c" },
      { toolId: "d", toolPath: "../..", required: "yes" },
    ]);
    expect(problems(validation).toSorted()).toEqual([
      "BAD_VALUE /tools/2/toolPath",
      "BAD_VALUE /tools/3/required",
      "CYCLE /tools/0/dependencies/0",
      "PATH_FORBIDDEN /tools/1/toolPath",
      "PATH_FORBIDDEN /tools/3/toolPath",
    ]);
  });

  test("a manifest that is none is a problem of the plan that names it", () => {
    writeFileSync(join(storyDir, "tools/lamp/tool.json"), '{"name":"lamp"');
    const validation = validate([{ toolId: "a", toolPath: "tools/lamp" }]);
    expect(problems(validation)).toEqual(["BAD_VALUE /tools/0/toolPath"]);
  });

  test.each([[null], [[]], ["plan"], [{ tools: "none" }], [{ tools: [null, 7] }]])("%j is no plan", (value) => {
    const sources = { storyDir, allowed: [], mounts: new Map() };
    expect(validatePlan(value, sources).kind).toBe("invalid");
  });

  test("100,000 tools that name one file", () => {
    const tools = Array.from({ length: 100_000 }, (_, index) => ({ toolId: `t${index}`, toolPath: "torch" }));
    const validation = validate(tools);
    expect(validation.kind === "valid" && validation.tools.size).toBe(100_000);
  });
});

test("[Z1.7] a plan names a hundred paths, and mounts as many as it likes", () => {
  const at = (number: number): object => ({ toolId: `t${number}`, toolPath: `tools/t${number}` });
  const mounted = { toolId: "m", toolPath: "mounted" };
  const hundred = Array.from({ length: 100 }, (_, number) => at(number));
  expect(validate([...hundred, { ...mounted }]).kind).toBe("valid");
  expect(problems(validate([...hundred, at(100), mounted]))).toEqual(["PATH_FORBIDDEN /tools/100/toolPath"]);
});

function validate(tools: object[], allowed: string[] = []): PlanValidation {
  const mounts = new Map([["mounted", bareTool("/somewhere/else", "mounted")]]);
  return validatePlan({ requestId: "plan", tools }, { storyDir, allowed, mounts });
}

function problems(validation: PlanValidation): string[] {
  return validation.kind === "valid" ? [] : validation.problems.map(({ code, pointer }) => `${code} ${pointer}`);
}
