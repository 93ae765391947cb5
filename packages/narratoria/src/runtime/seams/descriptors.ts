/**
 * How the descriptors that this process may have are shared out: first come Narratoria's own files, then its tools, and
 * connections get the rest. So a new reader is refused before a request is, and a request before a tool.
 */
import { readFileSync } from "node:fs";

export interface DescriptorShares {
  /** Tools at once. */
  slots: number;
  /** Modules and Python servers that may rest between two calls. */
  restingModules: number;
  restingServers: number;
  connections: number;
  /** Of the connections, those that stay open to read what happens. */
  readers: number;
}

/** The store, processes that run stories, files that are just being read, and some to spare. */
const FOR_ITSELF = 64;
/** The streams of a tool in the full sandbox, what it is handed, and what is read of it while it runs. */
const FOR_A_TOOL = 16;
/** It has its streams only. */
const FOR_A_RESTING_PROCESS = 8;
const MOST_RESTING = 48;
const FEWEST_CONNECTIONS = 8;

export function shareDescriptors(wantedSlots: number, most: number = mostDescriptors()): DescriptorShares {
  const left = Math.max(0, most - FOR_ITSELF);
  const slots = Math.max(1, Math.min(wantedSlots, Math.floor(left / 2 / FOR_A_TOOL)));
  const resting = Math.min(MOST_RESTING, Math.floor(left / 4 / FOR_A_RESTING_PROCESS));
  const restingServers = Math.floor(resting / 3);
  const connections = Math.max(FEWEST_CONNECTIONS, left - slots * FOR_A_TOOL - resting * FOR_A_RESTING_PROCESS);
  return {
    slots,
    restingModules: resting - restingServers,
    restingServers,
    connections,
    readers: Math.floor((connections * 3) / 4),
  };
}

/** Node has raised it to the most that it may be; infinite where nobody tells. */
export function mostDescriptors(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
