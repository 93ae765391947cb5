/**
 * What was accepted outlasts the loss of power. The disk is a file with a file system in it; what has reached that file
 * when it is copied is what a machine would find after its power came back.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHash } from "node:crypto";
import { createAssetFolder, assetPath } from "../src/stores/asset-folder.ts";
import { bytesSource } from "../src/runtime/seams/assets.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import { createScriptedHost, end, logLine, ok, patch, planOf } from "./scripted-host.ts";

const mounts: string[] = [];
let root = "";
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "narratoria-power-"))));
afterEach(() => {
  for (const mount of mounts.splice(0)) execFileSync("umount", ["-l", mount]);
  rmSync(root, { recursive: true, force: true });
});

/** Null where no disk can be made. */
function mountDisk(image: string, at: string): string | null {
  mkdirSync(at);
  try {
    execFileSync("mount", ["-o", "loop", image, at], { stdio: "ignore" });
    mounts.push(at);
    return at;
  } catch {
    return null;
  }
}

function makeDisk(): string | null {
  const image = join(root, "disk.img");
  try {
    execFileSync("truncate", ["-s", "48M", image]);
    execFileSync("mkfs.ext4", ["-q", "-F", image], { stdio: "ignore" });
  } catch {
    return null;
  }
  return mountDisk(image, join(root, "disk"));
}

/** The disk as it is after the power was cut now. */
function cutPower(): string {
  const copy = join(root, `after-${mounts.length}.img`);
  cpSync(join(root, "disk.img"), copy);
  const found = mountDisk(copy, join(root, `after-${mounts.length}`));
  if (found === null) throw new Error("what was left cannot be mounted");
  return found;
}

test("[Z1.4] power is lost when a prompt was accepted, and when its turn has ended: both are there afterwards", async (context) => {
  const disk = makeDisk();
  if (disk === null) return context.skip("making a disk needs root, loop devices and mkfs.ext4");
  const mayGoOn = Promise.withResolvers<void>();
  const host = createScriptedHost({
    file: join(disk, "narratoria.db"),
    narrate: async ({ prompt, plans }) => {
      if (prompt === "held") await mayGoOn.promise;
      return prompt === null || plans.length > 0 ? end("x") : planOf("lamp");
    },
    tools: { lamp: () => ({ events: [logLine("hm"), patch({ lit: true })] }) },
  });
  const session = await host.begin();
  const statusAfterCut = (turnId: string): string | undefined => {
    const store = openSqliteStore(join(cutPower(), "narratoria.db"));
    const status = store.turn(turnId)?.status;
    for (const { sessionId } of store.sessions()) expect(store.findDamage(sessionId)).toEqual([]);
    store.close();
    return status;
  };
  const first = await host.play(session, "go");
  expect(statusAfterCut(first)).toBe("completed");
  const { turnId } = ok(await host.sessions.prompt(session, "held"));
  expect(statusAfterCut(turnId)).toBe("running");
  mayGoOn.resolve();
  await host.sessions.turnEnded(session, turnId);
  expect(statusAfterCut(turnId)).toBe("completed");
  await host.sessions.close();
});

test("[Z1.4] an asset that a tool brought is there too, whole", async (context) => {
  const disk = makeDisk();
  if (disk === null) return context.skip("making a disk needs root, loop devices and mkfs.ext4");
  const bytes = Buffer.alloc(300_000, "picture");
  await createAssetFolder(join(disk, "assets")).take(bytesSource(bytes, null));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const file = assetPath(join(cutPower(), "assets"), sha256);
  expect(existsSync(file)).toBe(true);
  expect(execFileSync("sha256sum", [file], { encoding: "utf8" })).toContain(sha256);
});
