import { describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { sizeOf } from "../../story/state-size.ts";
import { refusePatch } from "./refuse-patch.ts";
import { bareTool } from "../mounts/resolve-tool.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";

const MIB = 1024 * 1024;
const bare = bareTool("/story/tools/x", "x");

function writing(...writes: string[]): ResolvedTool {
  const descriptor = {
    name: "x",
    kind: "tool",
    protocol: "narratoria/0",
    capabilities: [],
    transport: { type: "stdio" },
  } as const;
  return { ...bare, manifest: { ...descriptor, capabilities: [], writes } };
}

function codeOf(patch: JsonObject, tool = bare, state: JsonObject = {}): string | null {
  const text = JSON.stringify({ version: "0", type: "state_patch", patch });
  return refusePatch(patch, text, tool, { value: state, size: sizeOf(state) })?.code ?? null;
}

describe("[S1.5] where a tool may write", () => {
  test("a tool without a manifest, or without `writes`: anywhere", () => {
    expect(codeOf({ anything: 1 })).toBeNull();
  });

  test("inside its scope", () => {
    expect(codeOf({ inventory: { torch: { lit: true } } }, writing("/inventory"))).toBeNull();
  });

  test("a patch that reaches outside is refused whole, and the message names the place and what is allowed", () => {
    const patch = { inventory: { torch: 1 }, gold: 1_000_000 };
    const refused = refusePatch(patch, "{}", writing("/inventory"), { value: {}, size: 2 });
    expect(refused).toEqual({
      category: "forbidden",
      code: "FORBIDDEN_WRITE",
      message: "the tool may not write /gold (its manifest allows: /inventory)",
    });
  });

  test("an empty list means nowhere", () => {
    expect(codeOf({ gold: 1 }, writing())).toBe("FORBIDDEN_WRITE");
  });

  test.each([
    [["/inventory", "/map"], "/inventory, /map"],
    [[], "nowhere"],
  ])("a refusal with %j says that it allows: %s", (writes, allowed) => {
    const refused = refusePatch({ gold: 1 }, "{}", writing(...writes), { value: {}, size: 2 });
    expect(refused?.message).toBe(`the tool may not write /gold (its manifest allows: ${allowed})`);
  });
});

describe("[S1.5] how much a tool may write", () => {
  /** A patch event of exactly so many bytes. */
  function patchOf(bytes: number, letter = "x"): JsonObject {
    const empty = JSON.stringify({ version: "0", type: "state_patch", patch: { text: "" } }).length;
    return { text: letter.repeat((bytes - empty) / Buffer.byteLength(letter)) };
  }

  test("one patch: 1 MiB and not a byte more", () => {
    expect(codeOf(patchOf(MIB))).toBeNull();
    expect(codeOf(patchOf(MIB + 1))).toBe("PATCH_TOO_LARGE");
  });

  test("bytes count, not characters", () => {
    expect(codeOf({ text: "€".repeat(MIB / 2) })).toBe("PATCH_TOO_LARGE");
    expect(codeOf({ text: "€".repeat(MIB / 4) })).toBeNull();
  });

  test("the state: 16 MiB, however it got there", () => {
    const half = "x".repeat(MIB / 2);
    const state = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`k${index}`, half]));
    expect(codeOf({ more: "x".repeat(MIB / 4) }, bare, state)).toBeNull();
    expect(codeOf({ more: half }, bare, state)).toBe("STATE_TOO_LARGE");
  });

  test("a full state can still be changed and made smaller", () => {
    const state = { big: "x".repeat(16 * MIB - 20) };
    expect(codeOf({ other: "more than fits" }, bare, state)).toBe("STATE_TOO_LARGE");
    expect(codeOf({ big: null, other: "more than fits" }, bare, state)).toBeNull();
    expect(codeOf({ big: "short" }, bare, state)).toBeNull();
  });
});
