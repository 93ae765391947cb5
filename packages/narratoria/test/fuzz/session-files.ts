/**
 * Session files, as bytes and as lines that are packed and sealed as if they were meant: one that is refused leaves
 * nothing behind; one that is taken can be looked at everywhere, and written out again to the same.
 */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { buffer } from "node:stream/consumers";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";
import type { z } from "zod";
import { sealOf } from "../../src/runtime/session-file/file-line.ts";
import { checkSessionFile } from "../../src/runtime/session-file/session-file-check.ts";
import { isRefusal, type SessionService } from "../../src/runtime/seams/session-service.ts";
import { sessionList, sessionView, turnRecord, turnTree } from "../../src/server/view-schemas.ts";
import { damage, damagePlace, type Damage } from "../mutated-json.ts";
import { end, ok, streamOf } from "../scripted-host.ts";
import { createKeptSessions } from "./kept-sessions.ts";
import { spoiled } from "./mutate-bytes.ts";
import { must, mustBeSame, mustBeWords, type FuzzTarget } from "./target.ts";

const SEED = readFileSync(new URL("../fixtures/fuzz-seeds/session.ndjson", import.meta.url), "utf8");
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** What the check may unpack here, for all that a few bytes can claim. */
const CAP = { bytes: 64 * 1024, bytesPerByte: 0, bytesInAll: 64 * 1024, records: 1_000 };

export const sessionFiles: FuzzTarget = {
  few: 120,
  open: async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-fuzz-")));
    const place = openPlace(root);
    const { TMPDIR: before } = process.env;
    return {
      inputs: fc.oneof(
        { weight: 6, arbitrary: damagedLines },
        { weight: 3, arbitrary: spoiled([SEED]) },
        spoiled([pack(Buffer.from(SEED))]),
      ),
      try: async (input) => {
        // What an import unpacks lies where nobody else's does, so that what it leaves can be seen.
        process.env["TMPDIR"] = place.temporary;
        try {
          return await tryFile(input.subarray(0, 4).equals(ZSTD_MAGIC) ? input : pack(input), place);
        } finally {
          if (before === undefined) delete process.env["TMPDIR"];
          else process.env["TMPDIR"] = before;
        }
      },
      close: async () => {
        await place.close();
        rmSync(root, { recursive: true, force: true });
      },
    };
  },
};

/** A line elsewhere, twice or not at all; a place in a line with another value. */
interface LineChange {
  kind: "damage" | "repeat" | "move" | "remove";
  line: number;
  to: number;
  damage: Damage;
}

const lineChange: fc.Arbitrary<LineChange> = fc.record({
  kind: fc.constantFrom("damage", "damage", "damage", "damage", "repeat", "move", "remove"),
  line: fc.nat({ max: 200 }),
  to: fc.nat({ max: 200 }),
  damage,
});

const damagedLines = fc.array(lineChange, { maxLength: 3 }).map((changes) => {
  const lines = SEED.trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
  for (const { kind, line, to, damage } of changes) {
    const at = line % lines.length;
    const chosen = lines[at] ?? {};
    if (kind === "damage") damagePlace(chosen, damage, lines);
    if (kind === "move" || kind === "remove") lines.splice(at, 1);
    if (kind === "move" || kind === "repeat") lines.splice(to % (lines.length + 1), 0, structuredClone(chosen));
  }
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
});

interface Place {
  sessions: SessionService;
  host: ReturnType<typeof createKeptSessions>;
  temporary: string;
  /** Everything that is kept, as numbers and names. */
  kept(): unknown;
  close(): Promise<void>;
}

async function tryFile(file: Buffer, place: Place): Promise<string> {
  const before = place.kept();
  await checkCap(file, place.temporary);
  const imported = await place.sessions.import(inPieces(file));
  if (isRefusal(imported)) {
    must(imported.code === "bad_request", `a file is refused as ${imported.code}`);
    mustBeWords(imported.message, "a refusal");
    mustBeSame(place.kept(), before, "what is kept before and after a refusal");
    return imported.message;
  }
  const { sessionId } = imported;
  await lookEverywhere(place, sessionId);
  const first = await exported(place, sessionId);
  ok(await place.sessions.remove(sessionId));
  const again = ok(await place.sessions.import(inPieces(pack(first))));
  mustBeSame(again.sessionId, sessionId, "the names of a session and of its copy");
  const second = await exported(place, sessionId);
  mustBeSame(second.toString("utf8"), first.toString("utf8"), "a session and its copy");
  ok(await place.sessions.remove(sessionId));
  mustBeSame(place.kept(), before, "what is kept before a session and after it");
  return "taken";
}

/** Every view there is must be able to show it. */
async function lookEverywhere({ sessions, host }: Place, sessionId: string): Promise<void> {
  const view = fits(sessionView, ok(await sessions.view(sessionId)), "the view");
  fits(sessionList, await sessions.list(), "the list");
  const tree = fits(turnTree, ok(await sessions.tree(sessionId)), "the tree");
  must(view.headTurnId === null || tree.some(({ turnId }) => turnId === view.headTurnId), "the head is in no tree");
  for (const { turnId } of tree) {
    fits(turnRecord, ok(await sessions.turn(sessionId, turnId)), "a turn");
    ok(await sessions.stateAt(sessionId, turnId));
  }
  for (const path of ["", "/lamp/lit", "/sign"]) ok(await sessions.why(sessionId, path));
  const numbers = streamOf(host.store, sessionId).map(({ seq }) => seq ?? 0);
  must(
    numbers.every((seq, index) => index === 0 || seq > (numbers[index - 1] ?? 0)),
    "numbers that do not grow",
  );
}

function fits<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const checked = schema.safeParse(value);
  must(checked.success, () => `${what} is not as the contract has it: ${checked.error?.message}`);
  return checked.data;
}

/** However it is packed, no more is written than may be. */
async function checkCap(file: Buffer, temporary: string): Promise<void> {
  const folder = mkdtempSync(join(temporary, "cap-"));
  await checkSessionFile(inPieces(file), folder, CAP);
  const bytes = readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0);
  must(bytes <= CAP.bytesInAll, `${bytes} bytes were unpacked`);
  rmSync(folder, { recursive: true });
}

async function exported({ sessions }: Place, sessionId: string): Promise<Buffer> {
  return zstdDecompressSync(await buffer(ok(await sessions.export(sessionId))));
}

function pack(lines: Uint8Array): Buffer {
  const compressed = zstdCompressSync(lines);
  return Buffer.concat([compressed, sealOf(createHash("sha256").update(compressed).digest("hex"))]);
}

async function* inPieces(file: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += 1000) yield file.subarray(at, at + 1000);
}

function openPlace(root: string): Place {
  const [temporary, assets, file] = [join(root, "tmp"), join(root, "assets"), join(root, "narratoria.db")];
  for (const folder of [temporary, assets]) mkdirSync(folder);
  const host = createKeptSessions({
    narrate: () => end("x"),
    file,
    assetDir: assets,
  });
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => String(name));
  const counts = tables.map((table) => database.prepare(`SELECT '${table}' AS kept, count(*) AS rows FROM "${table}"`));
  return {
    sessions: host.sessions,
    host,
    temporary,
    kept: () => ({
      rows: counts.map((count) => count.get()),
      assets: filesIn(assets),
      temporary: readdirSync(temporary),
    }),
    close: async () => {
      database.close();
      await host.sessions.close();
    },
  };
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
