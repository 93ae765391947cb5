/**
 * The digests of files, read a piece at a time so that nobody waits for a large one. One that was read is remembered by
 * its number, sizes and times, where those are sure to change with it:
 *
 * 1. Nobody but root can set a file's `ctime`, so whoever puts the size and the `mtime` back is still noticed.
 * 2. What was written through a mapping shows in the times only when the page was last clean: file systems on a disk
 *    clean pages within half a minute, so what changed in the last minute is read again; one in memory never does, nor
 *    do we know it of others, so there everything is read again.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, statfsSync, type BigIntStats } from "node:fs";

export interface FileDigests {
  /** `name`: what the file is called where somebody reads why it has none. */
  digestOf(path: string, stat: BigIntStats, name: string): Promise<string>;
}

/** Its message goes on after "it". */
export class Unknowable extends Error {}

const MOST_REMEMBERED = 20_000;
const SETTLED_MS = 60_000;
const PIECE_BYTES = 1024 * 1024;

export function createFileDigests(rest: () => Promise<void> | undefined, now: () => number = Date.now): FileDigests {
  const known = new Map<string, { stamp: string; digest: string }>();
  return {
    digestOf: async (path, stat, name) => {
      const stamp = stampOf(stat);
      const before = known.get(path);
      if (before?.stamp === stamp) return before.digest;
      const digest = await readDigest(path, stamp, name, rest);
      const [oldest] = known.keys();
      if (known.size >= MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
      if (now() - Number(stat.ctimeMs) > SETTLED_MS && timesTell(path)) known.set(path, { stamp, digest });
      return digest;
    },
  };
}

async function readDigest(
  path: string,
  stamp: string,
  name: string,
  rest: () => Promise<void> | undefined,
): Promise<string> {
  let descriptor: number;
  try {
    // O_NONBLOCK: what was a file a moment ago may be a pipe now, and opening that would wait.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    throw new Unknowable(`has a file that cannot be read (${name})`);
  }
  const mustBeTheSame = (): BigIntStats => {
    const stat = fstatSync(descriptor, { bigint: true });
    if (stampOf(stat) !== stamp) throw new Unknowable(`changed while it was looked at (${name})`);
    return stat;
  };
  try {
    const size = Number(mustBeTheSame().size);
    const digest = createHash("sha256");
    const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size + 1));
    // No further than it was long: a file that grows for ever is not read for ever.
    for (let left = size, read = -1; left > 0 && read !== 0; left -= read) {
      read = readSync(descriptor, buffer, 0, Math.min(buffer.length, left), null);
      digest.update(buffer.subarray(0, read));
      const resting = rest();
      if (resting !== undefined) await resting;
    }
    mustBeTheSame();
    return digest.digest("base64url");
  } finally {
    closeSync(descriptor);
  }
}

function stampOf({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mode} ${mtimeNs} ${ctimeNs}`;
}

/** ext, XFS, Btrfs, F2FS, ZFS, bcachefs, and layers over these. */
const ON_A_DISK = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0xca451a4e, 0x794c7630]);

function timesTell(path: string): boolean {
  try {
    return process.platform === "linux" && ON_A_DISK.has(statfsSync(path).type >>> 0);
  } catch {
    return false;
  }
}
