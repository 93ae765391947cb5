import { describe, expect, test } from "vitest";
import type { ModuleDescriptor } from "../../story/module-descriptor.ts";
import { bareTool } from "../mounts/resolve-tool.ts";
import { questionFor, type AskedFor } from "./permission-question.ts";
import { COMMAND, MANIFEST } from "./tool-content.ts";

const lamp = bareTool("/story/lamp", "lamp");
const KNOWN = { kind: "content", parts: {} } as const;

function ask(more: Partial<AskedFor> = {}) {
  return questionFor({ tool: lamp, toolId: "l1", capabilities: ["fs.temp"], content: KNOWN, changes: [], ...more });
}

function changes(...parts: string[]): string | null {
  return plain(ask({ changes: parts }).reason);
}

describe("[K1.9] the question", () => {
  test("names the tool and what it wants, and what may be answered", () => {
    const { question, ...rest } = ask();
    expect(plain(question)).toBe("The tool “lamp” asks to use temporary files.");
    expect(rest).toEqual({
      toolId: "l1",
      reason: null,
      answers: [
        { value: "once", label: "Allow this time" },
        { value: "always", label: "Always allow" },
        { value: "no", label: "Don't allow" },
      ],
    });
  });

  test("counts several wishes, the weightiest first, and shows what is to be run", () => {
    const tool = { ...lamp, command: ["npx", "lamp's"] };
    expect(plain(ask({ tool, capabilities: ["net.fetch", "exec.spawn"] }).question)).toMatch(
      /^The tool “lamp” asks to\n1\. [^“]+: “npx” “lamp's”\n2\. use the network$/,
    );
    expect(plain(ask({ tool, capabilities: ["net.fetch"] }).question)).not.toContain("npx");
  });

  test("says what the tool says of itself, and no more of it than fits", () => {
    const said = (description: string): string | null =>
      plain(ask({ tool: { ...lamp, manifest: { description } as ModuleDescriptor } }).reason);
    expect(said("gives light")).toBe("It says of itself: “gives light”");
    expect(said("x".repeat(400))).toHaveLength("It says of itself: “”".length + 300);
    expect(ask({ tool: { ...lamp, manifest: {} as ModuleDescriptor } }).reason).toBeNull();
  });

  test("cannot be answered for good where nobody can know what the tool is", () => {
    const { reason, answers } = ask({ content: { kind: "unknowable", why: "has a folder that cannot be read" } });
    expect(reason).toBe("It can only be allowed this time: it has a folder that cannot be read.");
    expect(answers.map(({ value }) => value)).toEqual(["once", "no"]);
  });

  test("says what changed since it was allowed: three files at most, and how many more", () => {
    const changed = "Its program changed since you allowed it: ";
    expect(changes(MANIFEST)).toBe(`${changed}its manifest.`);
    expect(changes("./a", COMMAND, MANIFEST)).toBe(`${changed}its manifest, its command, “./a”.`);
    expect(changes("./a", "./b", "./c")).toBe(`${changed}“./a”, “./b”, “./c”.`);
    expect(changes("./a", "./b", "./c", "./d", "./e")).toBe(`${changed}“./a”, “./b”, “./c”, 2 more.`);
  });

  test("gives each reason a line of its own", () => {
    const tool = { ...lamp, manifest: { description: "gives light" } as ModuleDescriptor };
    const content = { kind: "unknowable", why: "is large" } as const;
    expect(ask({ tool, content, changes: ["."] }).reason?.split("\n")).toHaveLength(3);
  });
});

/** Without the marks that isolate. */
function plain(text: string | null): string | null {
  return text?.replaceAll(/[\u2068\u2069]/g, "") ?? null;
}
