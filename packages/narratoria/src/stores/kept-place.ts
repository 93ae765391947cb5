/**
 * Whether the files of an open store still lie where they were opened. Whoever deletes or replaces the data folder of a
 * running host takes them away while SQLite goes on writing to them: what is said then would be kept by nobody.
 */
import { statSync } from "node:fs";
import { DataGone } from "../runtime/seams/disk-trouble.ts";

export interface KeptPlace {
  /** Throws a DataGone when they do not. */
  check(): void;
  /** Calls back once within seconds of their going, also when nobody writes. */
  watch(tell: (message: string) => void): void;
  close(): void;
}

/** Of a store in memory. */
export const ANYWHERE: KeptPlace = { check: () => {}, watch: () => {}, close: () => {} };

const LOOKS_EVERY_MS = 1_000;

export function keptPlace(storeFile: string): KeptPlace {
  const files = [storeFile, `${storeFile}-wal`].map((file) => ({ file, identity: identityOf(file) }));
  let timer: NodeJS.Timeout | null = null;

  function check(): void {
    if (files.some(({ file, identity }) => identity !== null && identityOf(file) !== identity)) {
      throw new DataGone(
        `What Narratoria keeps (${storeFile}) was moved, deleted or replaced while it was running, so nothing more can ` +
          "be kept. Put it back where it was, or end Narratoria and start it again.",
      );
    }
  }

  function watch(tell: (message: string) => void): void {
    timer = setInterval(() => {
      try {
        check();
      } catch (error) {
        if (timer !== null) clearInterval(timer);
        tell((error as Error).message);
      }
    }, LOOKS_EVERY_MS).unref();
  }

  return { check, watch, close: () => void (timer === null || clearInterval(timer)) };
}

/** Null where there is no such file. */
function identityOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}
