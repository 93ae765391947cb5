/** `narratoria doctor`: what this machine offers to stories and their tools, and how to get the rest. */
import { readFileSync } from "node:fs";
import { findDamage } from "../create-narratoria.ts";
import type { Damage } from "../runtime/seams/store.ts";
import { chooseSandbox } from "../sandbox/choose-sandbox.ts";
import { SANDBOX_PATH } from "../sandbox/environment.ts";
import { findOnPath } from "../sandbox/spawn-error.ts";
import { StoreError } from "../stores/sqlite.ts";
import type { SandboxLevel } from "../story/execution-result.ts";
import { wordsForLevel } from "../story/level-words.ts";
import { dataFolder } from "./data-folder.ts";
import { printDocument } from "./print-json.ts";
import { cleanLine } from "./terminal-text.ts";
import { say } from "./say.ts";

export interface DoctorOptions {
  json?: boolean;
  data?: string;
}

interface Findings {
  version: string;
  node: { version: string; path: string };
  sandbox: { level: SandboxLevel; advice: string | null };
  /** Null: not found. */
  interpreters: { [name: string]: string | null };
  dataFolder: string;
  /** What in the kept sessions is not as it was written. */
  damage: ({ sessionId: string; title: string } & Damage)[];
  /** Why the kept sessions could not be looked at; null when they could. */
  unreadable: string | null;
}

export async function doctorCommand(options: DoctorOptions): Promise<number> {
  const findings = await examine(options);
  if (options.json) await printDocument(findings, "indented");
  else say(...describe(findings));
  return 0;
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
    ...examineLog(dataFolder(options.data)),
  };
}

function examineLog(dataDir: string): Pick<Findings, "damage" | "unreadable"> {
  try {
    const found = findDamage(dataDir);
    const damage = found.map(({ session: { sessionId, title }, damage }) => ({ sessionId, title, ...damage }));
    return { damage, unreadable: null };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { damage: [], unreadable: error.message };
  }
}

function describe({ version, node, sandbox, interpreters, dataFolder, damage, unreadable }: Findings): string[] {
  const lines = [
    `Narratoria ${version} on Node.js ${node.version}`,
    "",
    `Sandbox      ${sandbox.level}: ${wordsForLevel(sandbox.level)}`,
  ];
  if (sandbox.advice !== null) lines.push(`             ${sandbox.advice}`, `             ${howToGetThere()}`);
  for (const [name, path] of Object.entries(interpreters)) {
    lines.push(`${name.padEnd(13)}${path ?? "not found: tools written for it will not start"}`);
  }
  lines.push(`Data folder  ${dataFolder}`);
  if (unreadable !== null) lines.push(`Sessions     ${cleanLine(unreadable)}`);
  for (const each of damage) {
    const session = `"${cleanLine(each.title, 50)}" (${each.sessionId.slice(0, 8)})`;
    lines.push(`Damaged      ${session}: ${wordsForDamage(each)}`);
  }
  lines.push("", summaryOf(sandbox.level === "full", damage.length > 0 || unreadable !== null));
  return lines;
}

function wordsForDamage(damage: Damage): string {
  switch (damage.kind) {
    case "altered":
      return `event ${damage.seq} is not what was written`;
    case "missing":
      return `between events ${damage.after} and ${damage.before} something is gone`;
    case "cut":
      return `after event ${damage.after} the end is gone`;
  }
}

function summaryOf(isSandboxFull: boolean, isLogDamaged: boolean): string {
  if (isLogDamaged) return "What is kept is not as Narratoria wrote it; an older copy of the data folder may be.";
  return isSandboxFull ? "All is well. Have a good story." : "You can play; the sandbox could be better.";
}

function howToGetThere(): string {
  if (process.platform !== "linux") return "On Linux, also in a virtual machine or WSL 2, the sandbox is full.";
  return "To get to full: sudo apt install bubblewrap (or your system's way), and let users make namespaces.";
}
