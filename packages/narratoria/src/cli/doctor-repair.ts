/** `narratoria doctor --repair`: mends what is kept, when no host is using it. `stores/repair-store.ts` does the work. */
import { existsSync } from "node:fs";
import {
  diskTroubleIn,
  type HostLock,
  lockDataFolder,
  type Repair,
  repairStore,
  StoreError,
  type StoreFindings,
} from "../data.ts";

export async function repairKept(dataDir: string, findings: StoreFindings): Promise<Repair> {
  const nothing = { copy: null, sessions: [], swept: 0 };
  if (!existsSync(dataDir)) return { ...nothing, refused: null };
  let lock: HostLock | null = null;
  try {
    lock = lockDataFolder(dataDir);
    if (lock === null) return { ...nothing, refused: `another Narratoria is using ${dataDir}; end it first` };
    return repairStore(dataDir, findings, new Date());
  } catch (error) {
    const trouble = diskTroubleIn(error);
    if (trouble === null && !(error instanceof StoreError)) throw error;
    return { ...nothing, refused: trouble?.message ?? (error as Error).message };
  } finally {
    lock?.release();
  }
}
