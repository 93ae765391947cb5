import { describe, expect, test } from "vitest";
import type { ModuleDescriptor } from "../../story/module-descriptor.ts";
import { bareTool } from "../mounts/resolve-tool.ts";
import { RECORDED } from "../mounts/read-manifest.ts";
import type { Player, Question } from "../seams/player.ts";
import type { Mounted, ResolvedTool } from "../seams/resolved-tool.ts";
import { createConfinement, type Confinement, type ConfinementOptions } from "./confinement.ts";
import { KEEPS_NO_GRANTS, openGrantBook } from "./grant-book.ts";

function mount(more: Partial<ResolvedTool> = {}, storyDir = "/one"): Mounted {
  return { storyDir, tool: { ...bareTool("/one/lamp", "lamp"), ...more } };
}

function manifest(more: object): Partial<ResolvedTool> {
  return { manifest: { transport: { type: "stdio", command: ["it"] }, ...more } as ModuleDescriptor };
}

function open(
  options: Partial<ConfinementOptions> = {},
  sandbox: "full" | "full_unless_confirmed" | "any" = "full_unless_confirmed",
): Confinement {
  const book = openGrantBook(KEEPS_NO_GRANTS);
  return createConfinement({
    level: "none",
    policy: { sandbox, grants: {} },
    book,
    allowUnconfined: false,
    ...options,
  });
}

function answering(answer: string | null): Player & { asked: Question[] } {
  const asked: Question[] = [];
  return { asked, ask: (question) => (asked.push(question), Promise.resolve(answer)) };
}

const codeOf = (confinement: Confinement, of: Mounted): string => confinement.judge(of)?.code ?? "may run";

describe("[Z1.5] below the full sandbox", () => {
  test("a story's own tool does not run until somebody has said so, and is told why", () => {
    expect(open().judge(mount())).toEqual({
      category: "forbidden",
      code: "UNCONFINED",
      message: expect.stringMatching(
        /^lamp would not be confined: .+ Nobody has confirmed that for this story; --allow-unconfined does, and narratoria doctor says how to do better$/,
      ) as string,
    });
    expect(codeOf(open({ level: "partial" }), mount())).toBe("UNCONFINED");
    expect(codeOf(open({ level: "full" }), mount())).toBe("may run");
    expect(codeOf(open(), mount({ source: "installed_pack" }))).toBe("UNCONFINED");
  });

  test("what ships with Narratoria runs; so does everything where the policy or the command line says so", () => {
    expect(codeOf(open(), mount({ source: "builtin_pack" }))).toBe("may run");
    expect(codeOf(open({ allowUnconfined: true }), mount())).toBe("may run");
    expect(codeOf(open({}, "any"), mount())).toBe("may run");
  });

  test("nothing runs where the policy asks for all of it, whoever confirms it", async () => {
    const confinement = open({ allowUnconfined: true, level: "partial" }, "full");
    const message = `the policy asks for the full sandbox, and here it is "partial"; narratoria doctor says why`;
    const refusal = { category: "forbidden", code: "SANDBOX_REQUIRED", message };
    expect(confinement.judge(mount({ source: "builtin_pack" }))).toEqual(refusal);
    const player = answering("always");
    expect(await confinement.decide(mount(), "l1", player)).toEqual(refusal);
    expect(player.asked).toEqual([]);
    expect(codeOf(open({ level: "full" }, "full"), mount())).toBe("may run");
  });

  test.each<[what: string, more: Partial<ResolvedTool>, outcome: string]>([
    ["a Python tool in a container", manifest({ protocol: "namel3ss/1", container: { image: "it" } }), "may run"],
    ["a Python tool in none", manifest({ protocol: "namel3ss/1" }), "UNCONFINED"],
    [
      "a container that no runner starts",
      manifest({ protocol: "amplifier/1", container: { image: "it" } }),
      "UNCONFINED",
    ],
    ["a service elsewhere", manifest({ protocol: "amplifier/1", transport: { type: "http" } }), "may run"],
    ["a recording", { command: [RECORDED, "/file"] }, "may run"],
    ["a program told of one", { command: ["sh", RECORDED] }, "UNCONFINED"],
  ])("%s: %s", (_, more, outcome) => {
    expect(codeOf(open(), mount(more))).toBe(outcome);
    expect(codeOf(open({}, "full"), mount(more))).toBe(outcome === "may run" ? "may run" : "SANDBOX_REQUIRED");
  });
});

describe("[K1.9] asking", () => {
  test("is one question for a turn, whose answer counts for all its tools", async () => {
    const confinement = open();
    const player = answering("no");
    expect((await confinement.decide(mount(), "l1", player))?.code).toBe("UNCONFINED");
    expect((await confinement.decide(mount(), "l2", player))?.code).toBe("UNCONFINED");
    expect(player.asked).toEqual([
      {
        toolId: "l1",
        question: "The tools of this story would run without the full sandbox. Let them?",
        reason: expect.stringContaining(`"narratoria doctor" says how to get the full sandbox.`) as string,
        answers: [
          { value: "once", label: "Until Narratoria ends" },
          { value: "always", label: "Always for this story" },
          { value: "no", label: "Don't run them" },
        ],
      },
    ]);
  });

  test.each<[answer: string | null, isAllowed: boolean, isKept: boolean]>([
    ["once", true, false],
    ["always", true, true],
    ["no", false, false],
    [null, false, false],
    ["nonsense", false, false],
  ])("the answer %s: allowed %s, kept %s", async (answer, isAllowed, isKept) => {
    const book = openGrantBook(KEEPS_NO_GRANTS);
    const confinement = open({ book });
    const refusal = await confinement.decide(mount(), "l1", answering(answer));
    expect(refusal?.code).toBe(isAllowed ? undefined : "UNCONFINED");
    expect(codeOf(confinement, mount())).toBe(isAllowed ? "may run" : "UNCONFINED");
    expect(codeOf(confinement, mount({}, "/two"))).toBe("UNCONFINED");
    expect(book.isUnconfined("/one")).toBe(isKept);
    expect(codeOf(open({ book }), mount())).toBe(isKept ? "may run" : "UNCONFINED");
  });

  test("happens where there is somebody, and something to ask about", async () => {
    expect((await open().decide(mount(), "l1", null))?.code).toBe("UNCONFINED");
    const player = answering("no");
    expect(await open().decide(mount({ source: "builtin_pack" }), "l1", player)).toBeNull();
    expect(player.asked).toEqual([]);
  });

  test("what is kept is kept once", async () => {
    const saved: unknown[] = [];
    const book = openGrantBook({ ...KEEPS_NO_GRANTS, save: (kept) => void saved.push(kept) });
    const confinement = open({ book });
    const player = answering("always");
    await Promise.all([confinement.decide(mount(), "l1", player), confinement.decide(mount(), "l2", player)]);
    expect([player.asked.length, saved.length]).toEqual([1, 1]);
  });
});
