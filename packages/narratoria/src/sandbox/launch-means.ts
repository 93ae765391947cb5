/**
 * What a launch needs before it can start anything: a user, a memory group, the files to hand over. The next launch's
 * are made when one has begun, while nobody waits; `bubblewrap.ts` takes them and gives them back.
 */
import { openHandedFiles, type HandedFiles } from "./handed-files.ts";
import { findMemoryGroups, type MemoryGroup } from "./memory-group.ts";
import { privateUser, type SandboxUser } from "./sandbox-user.ts";

export interface LaunchMeans {
  user: SandboxUser;
  memory: MemoryGroup;
  handed: HandedFiles;
  /** When the last process that used them is gone. */
  giveBack(): Promise<void>;
}

export interface MeansAhead {
  take(): LaunchMeans;
  /** Makes those of the next launch. */
  prepare(): void;
  close(): Promise<void>;
}

export function createMeansAhead(): MeansAhead {
  const groups = findMemoryGroups();
  let ready: LaunchMeans | null = null;
  let isClosed = false;

  function make(): LaunchMeans {
    const handed = openHandedFiles();
    const user = privateUser();
    try {
      const memory = groups.make();
      const giveBack = (): Promise<void> => memory.remove().finally(() => user.giveBack());
      return { user, memory, handed, giveBack };
    } catch (error) {
      handed.close();
      user.giveBack();
      throw error;
    }
  }
  return {
    take: () => {
      const taken = ready ?? make();
      ready = null;
      return taken;
    },
    prepare: () => {
      if (ready !== null || isClosed) return;
      try {
        ready = make();
      } catch {
        // Whoever takes them tries again, and says why it does not work.
      }
    },
    close: async () => {
      isClosed = true;
      ready?.handed.close();
      await ready?.giveBack();
      ready = null;
    },
  };
}
