/**
 * Which stored assets somebody is about to refer to: a turn or an import brings the bytes first and commits the event
 * that names them later. Until then nobody else's deletion may sweep them away.
 */
import type { LogRecord, Store } from "../runtime/seams/store.ts";

export interface AssetHolds {
  hold(sha256: string): void;
  release(sha256: string): void;
  isHeld(sha256: string): boolean;
}

/** What is never committed stays held while this process lives: a file too many does no harm. */
export function createAssetHolds(): AssetHolds {
  const held = new Map<string, number>();
  return {
    hold: (sha256) => void held.set(sha256, (held.get(sha256) ?? 0) + 1),
    release: (sha256) => {
      const others = (held.get(sha256) ?? 0) - 1;
      if (others > 0) held.set(sha256, others);
      else held.delete(sha256);
    },
    isHeld: (sha256) => held.has(sha256),
  };
}

/** The store, letting go of an asset once the event that refers to it is committed. */
export function releasingHolds(store: Store, holds: AssetHolds): Store {
  return {
    ...store,
    append: (records) => {
      store.append(records);
      releaseNamed(records);
    },
    takeIn: (records) => {
      store.takeIn(records);
      releaseNamed(records);
    },
  };

  /** Once a commit, however often it names one: another turn may be bringing the same bytes. */
  function releaseNamed(records: readonly LogRecord[]): void {
    const named = new Set(records.flatMap((record) => assetIn(record) ?? []));
    for (const sha256 of named) holds.release(sha256);
  }
}

function assetIn(record: LogRecord): string | null {
  if (record.kind !== "event" || record.event.event !== "tool:event") return null;
  return record.event.data.asset?.sha256 ?? null;
}
