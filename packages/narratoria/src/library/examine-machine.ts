/** What this machine offers to stories and their tools. */
import { chooseSandbox } from "../sandbox/choose-sandbox.ts";
import { SANDBOX_PATH } from "../sandbox/environment.ts";
import { findOnPath } from "../sandbox/spawn-error.ts";
import type { SandboxLevel } from "../story/execution-result.ts";

export interface MachineFindings {
  node: { version: string; path: string };
  sandbox: { level: SandboxLevel; advice: string | null };
  /** Null: not found. */
  interpreters: { [name: string]: string | null };
}

export async function examineMachine(): Promise<MachineFindings> {
  const { sandbox, level, advice } = await chooseSandbox("best");
  await sandbox.close();
  const path = level === "full" ? SANDBOX_PATH : (process.env["PATH"] ?? "");
  return {
    node: { version: process.versions.node, path: process.execPath },
    sandbox: { level, advice },
    // Where tools will look for them. `node` is always the one that runs Narratoria.
    interpreters: { python3: findOnPath("python3", path), sh: findOnPath("sh", path), node: process.execPath },
  };
}
