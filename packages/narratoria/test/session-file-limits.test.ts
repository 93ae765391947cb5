/** What a session file may ask of the machine that takes it in: not its disk, and not what runs there. */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sealOf } from "../src/runtime/session-file/file-line.ts";
import { checkSessionFile, type UnpackingLimits } from "../src/runtime/session-file/session-file-check.ts";
import { createScriptedHost, end, logLine, ok, planOf, streamOf } from "./scripted-host.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "narratoria-limits-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function narrate({ prompt, plans }: { prompt: string | null; plans: readonly unknown[] }) {
  return prompt === null || plans.length > 0 ? end("x") : planOf("lamp");
}

/** A session of one turn whose tool printed so many lines. */
async function exported(lines: number): Promise<Buffer> {
  const host = createScriptedHost({
    narrate,
    tools: { lamp: () => ({ events: Array.from({ length: lines }, () => logLine("the same again")) }) },
  });
  const session = await host.begin();
  await host.play(session, "go");
  const file = await buffer(ok(await host.sessions.export(session)));
  await host.sessions.close();
  return file;
}

/** A file as it would be written, whatever it says. */
function sealed(lines: readonly string[]): Buffer {
  const compressed = zstdCompressSync(lines.map((line) => `${line}\n`).join(""));
  return Buffer.concat([compressed, sealOf(createHash("sha256").update(compressed).digest("hex"))]);
}

function linesOf(file: Buffer): string[] {
  return zstdDecompressSync(file).toString().trimEnd().split("\n");
}

const LIMITS: UnpackingLimits = { bytes: 100_000, bytesPerByte: 10, bytesInAll: 1_000_000, records: 100 };
const TOO_LARGE = { kind: "wrong", message: "the file unpacks to more than a session can be" };

describe("[Z1.7] what is unpacked is counted while it is unpacked", () => {
  test("a file within the limits is taken", async () => {
    const file = await exported(200);
    expect(await checkSessionFile(Readable.from([file]), folder, LIMITS)).toMatchObject({ kind: "checked" });
  });

  test("few bytes that unpack to very many are refused, and only so many as are allowed were kept", async () => {
    const file = await exported(20_000);
    expect(file.length).toBeLessThan(10_000);
    expect(await checkSessionFile(Readable.from([file]), folder, LIMITS)).toEqual(TOO_LARGE);
    const kept = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(kept).toBeLessThan(LIMITS.bytes + file.length * LIMITS.bytesPerByte);
  });

  test("a larger file may unpack to more, up to what any may", async () => {
    const file = await exported(20_000);
    const perByte = { ...LIMITS, bytesPerByte: 1_000, bytesInAll: 100_000_000 };
    expect(await checkSessionFile(Readable.from([file]), folder, perByte)).toMatchObject({ kind: "checked" });
    rmSync(join(folder, "records"));
    expect(await checkSessionFile(Readable.from([file]), folder, { ...perByte, bytesInAll: 500_000 })).toEqual(
      TOO_LARGE,
    );
  });

  test("so many records, and not one more", async () => {
    const lines = linesOf(await exported(0));
    const records = lines.length - 1;
    const checked = (most: number): Promise<unknown> => {
      rmSync(join(folder, "records"), { force: true });
      return checkSessionFile(Readable.from([sealed(lines)]), folder, { ...LIMITS, records: most });
    };
    expect(await checked(records)).toMatchObject({ kind: "checked" });
    expect(await checked(records - 1)).toEqual(TOO_LARGE);
  });

  test("zeros without end are refused early", async () => {
    const bomb = sealed([linesOf(await exported(0))[0] ?? "", "0".repeat(20_000_000)]);
    expect(await checkSessionFile(Readable.from([bomb]), folder, LIMITS)).toEqual(TOO_LARGE);
  });
});

describe("where a story lies", () => {
  test("is not told in a file", async () => {
    const file = await exported(0);
    const start = linesOf(file).find((line) => line.includes("session:start"));
    expect(start).toContain('"dir":""');
    expect(linesOf(file).join("\n")).not.toContain('"/story"');
  });

  test("is not believed of one: a session of which nobody said with which story can be read, not played", async () => {
    const lines = linesOf(await exported(0)).map((line) => line.replace('"dir":""', '"dir":"/somewhere/evil"'));
    // A story of that title is here: what the file says is no more than a hint.
    const host = createScriptedHost({ narrate, stories: ["A story"] });
    const { sessionId } = ok(await host.sessions.import(Readable.from([sealed(lines)])));
    const view = ok(await host.sessions.view(sessionId));
    expect(view.story).toMatchObject({ dir: "", title: "A story" });
    expect(JSON.stringify(streamOf(host.store, sessionId))).not.toContain("evil");
    const refusal = { kind: "refused", code: "conflict", message: expect.stringContaining("which story here") };
    expect(await host.sessions.prompt(sessionId, "go")).toMatchObject(refusal);
    expect(await host.sessions.retry(sessionId)).toMatchObject(refusal);
    expect(ok(await host.sessions.undo(sessionId)).turns).toHaveLength(1);
    expect(ok(await host.sessions.fork(sessionId, view.headTurnId ?? ""))).toHaveProperty("sessionId");
  });

  test("is where a person says, and of another title it is refused", async () => {
    const file = await exported(0);
    const renamed = linesOf(file).map((line) => line.replaceAll('"title":"A story"', '"title":"Another\u202e story"'));
    const host = createScriptedHost({ narrate });
    const refused = { kind: "refused", code: "bad_request", message: expect.stringContaining("Another⟨U+202E⟩ story") };
    expect(await host.sessions.import(Readable.from([sealed(renamed)]), "/story")).toMatchObject(refused);
    expect(await host.sessions.list()).toEqual([]);
    const { sessionId } = ok(await host.sessions.import(Readable.from([file]), "/story"));
    expect(ok(await host.sessions.view(sessionId)).story.dir).toBe("/story");
    await host.play(sessionId, "go on");
  });
});
