/**
 * `narratoria doctor`: what this machine offers to stories and their tools and how to get the rest, and whether what is
 * kept is as it was written. `doctor-repair.ts` does what `--repair` asks for.
 */
import { dataFolder, examineStore, isDamaged, type AddOnState, type Repair, type StoreFindings } from "../data.ts";
import { examineMachine, type MachineFindings, VERSION } from "../index.ts";
import { wordsForLevel } from "../story/index.ts";
import { addOnStates, wordsForAddOn } from "./add-ons.ts";
import { repairKept } from "./doctor-repair.ts";
import { printDocument } from "./print-json.ts";
import { FAILURE, say } from "./say.ts";
import { describeKept, describeRepair } from "./words-for-damage.ts";

export interface DoctorOptions {
  json?: boolean;
  data?: string;
  repair?: boolean;
}

interface Findings extends StoreFindings, MachineFindings {
  version: string;
  dataFolder: string;
  addOns: { name: string; state: AddOnState }[];
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
  const folder = dataFolder(options.data);
  const kept = await examineStore(folder);
  return { version: VERSION, ...(await examineMachine()), dataFolder: folder, addOns: addOnStates(folder), ...kept };
}

function describe(findings: Findings, repair: Repair | null, isStillDamaged: boolean): string[] {
  const { version, node, sandbox, interpreters, dataFolder, addOns } = findings;
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
  lines.push(...addOns.map(({ name, state }) => `Add-on       ${name}: ${wordsForAddOn(name, state)}`));
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
