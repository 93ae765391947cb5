import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../runtime/seams/sandbox.ts";
import { limitedCommand, limitsAsScript } from "./limits.ts";

const LIMITS = { ...DEFAULT_LIMITS, processes: 5_000, openFiles: 99, fileSizeMb: 10, cpuSeconds: 7 };
const WHAT = /^Max (cpu time|file size|core file size|processes|open files) +(\w+) +(\w+)/gm;

function limitsIn(program: string, args: readonly string[], as: string): Record<string, string> {
  const { stdout } = spawnSync(program, args, { argv0: as, encoding: "utf8" });
  const found: Record<string, string> = {};
  for (const [, name = "", soft, hard] of stdout.matchAll(WHAT)) found[name] = `${soft} ${hard}`;
  return found;
}

const KEPT = {
  "cpu time": "7 8",
  "file size": "10485760 10485760",
  "core file size": "0 0",
  "open files": "99 99",
};

// Whichever is the system's /bin/sh: what their ulimit calls things differs.
const shells = ["/bin/sh", "/bin/dash", "/bin/bash", "/bin/busybox"].filter((shell) => existsSync(shell));

describe("[Z1.3] the kernel's limits", () => {
  test.each(shells)("set by %s", (shell) => {
    const script = `${limitsAsScript(LIMITS)} && exec cat /proc/self/limits`;
    expect(limitsIn(shell, ["-c", script], "sh")).toEqual({ ...KEPT, processes: "5000 5000" });
  });

  test("set by a program, without one on processes", () => {
    const [program = "", ...args] = limitedCommand(["/bin/cat", "/proc/self/limits"], LIMITS);
    expect(limitsIn(program, args, "prlimit")).toMatchObject(KEPT);
  });
});
