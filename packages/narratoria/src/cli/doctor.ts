/**
 * `narratoria doctor`: what this machine offers to stories and their tools and how to get the rest, and whether what is
 * kept is as it was written. `doctor-repair.ts` does what `--repair` asks for.
 */
import { readFileSync } from "node:fs";
import { chooseSandbox } from "../sandbox/choose-sandbox.ts";
import { SANDBOX_PATH } from "../sandbox/environment.ts";
import { findOnPath } from "../sandbox/spawn-error.ts";
import { examineStore, isDamaged, type StoreFindings } from "../stores/examine-store.ts";
import type { Repair } from "../stores/repair-store.ts";
import type { SandboxLevel } from "../story/execution-result.ts";
import { wordsForLevel } from "../story/level-words.ts";
import { dataFolder } from "./data-folder.ts";
import { repairKept } from "./doctor-repair.ts";
import { printDocument } from "./print-json.ts";
import { FAILURE, say } from "./say.ts";
import { describeKept, describeRepair } from "./words-for-damage.ts";

export interface DoctorOptions {
  json?: boolean;
  data?: string;
  repair?: boolean;
}

interface Findings extends StoreFindings {
  version: string;
  node: { version: string; path: string };
  sandbox: { level: SandboxLevel; advice: string | null };
  /** Null: not found. */
  interpreters: { [name: string]: string | null };
  dataFolder: string;
}

/** 1: what is kept is damaged, and still is. */
export async function doctorCommand(options: DoctorOptions): Promise<number> {
  const findings = await examine(options);
  const repair = options.repair ? await repairKept(findings.dataFolder, findings) : null;
  const isStillDamaged = isDamaged(repair === null ? findings : await examineStore(findings.dataFolder));
  if (options.json) await printDocument(repair === null ? findings : { ...findings, repair }, "indented");
  else say(...describe(findings, repair, isStillDamaged));
  return isStillDamaged ? FAILURE : 0;
}

async function examine(options: DoctorOptions): Promise<Findings> {
  const { sandbox, level, advice } = await chooseSandbox("best");
  await sandbox.close();
  const path = level === "full" ? SANDBOX_PATH : (process.env["PATH"] ?? "");
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return {
    version: manifest.version,
    node: { version: process.versions.node, path: process.execPath },
    sandbox: { level, advice },
    // Where tools will look for them. `node` is always the one that runs Narratoria.
    interpreters: { python3: findOnPath("python3", path), sh: findOnPath("sh", path), node: process.execPath },
    dataFolder: dataFolder(options.data),
    ...(await examineStore(dataFolder(options.data))),
  };
}

function describe(findings: Findings, repair: Repair | null, isStillDamaged: boolean): string[] {
  const { version, node, sandbox, interpreters, dataFolder } = findings;
  const lines = [
    `Narratoria ${version} on Node.js ${node.version}`,
    "",
    `Sandbox      ${sandbox.level}: ${wordsForLevel(sandbox.level)}`,
  ];
  if (sandbox.advice !== null) lines.push(`             ${sandbox.advice}`, `             ${howToGetThere()}`);
  for (const [name, path] of Object.entries(interpreters)) {
    lines.push(`${name.padEnd(13)}${path ?? "not found: tools written for it will not start"}`);
  }
  lines.push(`Data folder  ${dataFolder}`, ...describeKept(findings));
  if (repair !== null) lines.push("", ...describeRepair(repair));
  lines.push("", summaryOf(sandbox.level === "full", isDamaged(findings), isStillDamaged));
  return lines;
}

function summaryOf(isSandboxFull: boolean, wasDamaged: boolean, isStillDamaged: boolean): string {
  if (isStillDamaged) {
    const cure = "Put a backup in its place, or keep what is whole: narratoria doctor --repair";
    return `What is kept is not as Narratoria wrote it. ${cure}`;
  }
  if (wasDamaged) return "What was whole is kept. Narratoria can be started again.";
  return isSandboxFull ? "All is well. Have a good story." : "You can play; the sandbox could be better.";
}

function howToGetThere(): string {
  if (process.platform !== "linux") return "On Linux, also in a virtual machine or WSL 2, the sandbox is full.";
  return "To get to full: sudo apt install bubblewrap (or your system's way), and let users make namespaces.";
}
