/** `narratoria doctor --repair`: mends what is kept, when no host is using it. `stores/repair-store.ts` does the work. */
import { existsSync } from "node:fs";
import { lockDataFolder, type Repair, repairStore, type StoreFindings } from "../data.ts";

export async function repairKept(dataDir: string, findings: StoreFindings): Promise<Repair> {
  const nothing = { copy: null, sessions: [], swept: 0 };
  if (!existsSync(dataDir)) return { ...nothing, refused: null };
  const lock = lockDataFolder(dataDir);
  if (lock === null) return { ...nothing, refused: `another Narratoria is using ${dataDir}; end it first` };
  try {
    return repairStore(dataDir, findings, new Date());
  } finally {
    lock.release();
  }
}
