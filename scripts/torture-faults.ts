/**
 * Loaded before a host that `torture.ts` starts: calls to files now and then fail as a full, failing or exhausted system
 * makes them fail, or write only half. `NARRATORIA_TORTURE` has the seed and one in how many; without it nothing fails.
 */
import fs from "node:fs";
import promises, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const [seed = "1", oneIn = "0"] = (process.env["NARRATORIA_TORTURE"] ?? "").split(":");
const OPENING = ["EMFILE", "EIO"] as const;
const WRITING = ["ENOSPC", "EIO", "EDQUOT"] as const;
let state = Number(seed) >>> 0;
let isOn = false;

/** From now on; a host that cannot even start says so, and that is tested elsewhere. */
export function letCallsFail(): void {
  isOn = Number(oneIn) > 0;
}

type Call = (...args: unknown[]) => unknown;
type Failing = readonly string[];

const SYNCHRONOUS: Record<string, Failing> = {
  openSync: OPENING,
  readdirSync: OPENING,
  readFileSync: OPENING,
  writeFileSync: WRITING,
  mkdirSync: WRITING,
  mkdtempSync: WRITING,
  renameSync: WRITING,
  fsyncSync: ["EIO"],
};
const PROMISED: Record<string, Failing> = {
  open: OPENING,
  readFile: OPENING,
  readdir: OPENING,
  mkdir: WRITING,
  rename: WRITING,
  cp: WRITING,
};

patch(fs as object as Record<string, Call>, SYNCHRONOUS, (call) => call);
patch(promises as object as Record<string, Call>, PROMISED, asRejection);
const probe = await promises.open("/dev/null");
const handle = Object.getPrototypeOf(probe) as Record<string, Call>;
await probe.close();
patch(handle, { sync: ["EIO"] }, asRejection);
const writeWhole = handle["writeFile"] as FileHandle["writeFile"];
handle["writeFile"] = async function writeHalf(this: FileHandle, data: unknown): Promise<void> {
  const code = isDue() ? WRITING[next() % WRITING.length] : undefined;
  const bytes = data as Uint8Array;
  await writeWhole.call(this, code === undefined ? bytes : bytes.subarray(0, Math.floor(bytes.length / 2)));
  if (code !== undefined) throw failure("write", code);
};
syncBuiltinESMExports();

function patch(target: Record<string, Call>, calls: Record<string, Failing>, how: (call: Call) => Call): void {
  for (const [name, codes] of Object.entries(calls)) {
    const original = target[name] as Call;
    target[name] = how(function failing(this: unknown, ...args: unknown[]) {
      if (isDue()) throw failure(name, codes[next() % codes.length] ?? "EIO");
      return original.apply(this, args);
    });
  }
}

/** What a promise would say. */
function asRejection(call: Call): Call {
  return async function rejecting(this: unknown, ...args: unknown[]) {
    return call.apply(this, args);
  };
}

function isDue(): boolean {
  return isOn && next() % Number(oneIn) === 0;
}

/** A small generator that repeats itself for the same seed. */
function next(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state >>> 8;
}

function failure(syscall: string, code: string): Error {
  return Object.assign(new Error(`${code}: injected, ${syscall}`), { code, syscall, errno: -1 });
}
