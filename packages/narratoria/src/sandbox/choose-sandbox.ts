/** Finds out, once, which sandbox this system offers, and how to get a better one. */
import { existsSync } from "node:fs";
import { HAS_PROC } from "../runtime/seams/proc.ts";
import { DEFAULT_LIMITS, type Sandbox } from "../runtime/seams/sandbox.ts";
import { startChild } from "../runtime/seams/start-child.ts";
import type { SandboxLevel } from "../story/execution-result.ts";
import { createBubblewrap } from "./bubblewrap.ts";
import { namespaceArguments, systemMounts, toArguments } from "./bubblewrap-arguments.ts";
import { limitsAsScript } from "./limits.ts";
import { createPartial } from "./partial.ts";
import { sharedUser } from "./sandbox-user.ts";
import { findOnPath } from "./spawn-error.ts";
import { createUnconfined } from "./unconfined.ts";
import { wardenMark } from "./warden.ts";

export interface SandboxChoice {
  sandbox: Sandbox;
  level: SandboxLevel;
  /** Why it is not `full`, and what to do about it; null when it is. */
  advice: string | null;
}

/** `hidden`: folders no tool may see, wherever they lie. */
export async function chooseSandbox(wanted: "best" | "none", hidden: readonly string[] = []): Promise<SandboxChoice> {
  if (wanted === "none") return unconfined("the sandbox was switched off with --no-sandbox");
  if (process.platform !== "linux") return unconfined("there is no sandbox for this system yet; on Linux there is");
  if (!HAS_PROC) return unconfined("/proc is not mounted, and without it no tool can be confined; mount it");
  const program = findOnPath("bwrap", process.env["PATH"] ?? "");
  const obstacle = program === null ? NOT_INSTALLED : await findObstacle(program);
  if (program !== null && obstacle === null) {
    return { sandbox: createBubblewrap({ program, hidden }), level: "full", advice: null };
  }
  if (!existsSync("/usr/bin/prlimit")) return unconfined(`${obstacle}; and there is no prlimit (package util-linux)`);
  return { sandbox: createPartial(hidden), level: "partial", advice: obstacle };
}

const NOT_INSTALLED = "bubblewrap is not installed; install the package bubblewrap";

function unconfined(advice: string): SandboxChoice {
  return { sandbox: createUnconfined(), level: "none", advice };
}

/** Tries a sandbox for real: bubblewrap may be there and still be forbidden to make namespaces, or to mount /proc. */
function findObstacle(program: string): Promise<string | null> {
  return new Promise((settle) => {
    const trial = [...namespaceArguments([]), ...toArguments(systemMounts())];
    const started = startChild(program, [...trial, "--", "sh", "-c", limitsAsScript(DEFAULT_LIMITS)], {
      env: { ...process.env, ...wardenMark() },
      cwd: "/",
      stdio: ["ignore", "ignore", "pipe"],
      ...sharedUser().spawnAs,
    });
    if (started.kind === "not_started") return settle(`bubblewrap could not be started: ${started.reason}`);
    const { child } = started;
    let complaint = "";
    child.stderr?.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
    child.on("error", (error) => settle(`bubblewrap could not be started: ${error.message}`));
    child.on("close", (code) => settle(code === 0 ? null : `bubblewrap does not work here: ${complaint.trim()}`));
  });
}
