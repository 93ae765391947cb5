/** The seam to managed asset storage. `stores/asset-folder.ts` implements it; `execution/take-events.ts` hands over. */

export interface AssetStore {
  /** Copies bytes into storage. What is missing, too large or not plain is refused, never an error. */
  take(source: AssetSource): Promise<TakenAsset>;
}

/** Bytes that somebody names, wherever they lie: opened only when they are taken. */
export interface AssetSource {
  /** What the tool says it is; null when nothing is said. */
  readonly mediaType: string | null;
  open(): Promise<AssetOpening>;
}

export type AssetOpening =
  /** `size` as far as it is known before: the bytes may turn out to be more. */
  | { kind: "open"; size: number; bytes: AsyncIterable<Uint8Array>; close(): Promise<void> }
  | { kind: "refused"; reason: string };

/** A file of this machine that an untrusted tool named. */
export interface NamedFile {
  path: string;
  /** The folders the file must really lie in; null when the tool was not confined to any. */
  within: readonly string[] | null;
  /** Folders it must not lie in, although they may lie within: what is kept out of a tool's sight. */
  hidden: readonly string[];
}

export type TakenAsset =
  | ({ kind: "stored"; sha256: string; bytes: number } & MediaFacts)
  | { kind: "refused"; reason: string };

/** What the bytes tell of themselves, where they do. */
export interface MediaFacts {
  width?: number;
  height?: number;
  durationMs?: number;
}

/** Thrown while bytes are read that must not be kept after all. The message goes on after "refused: ". */
export class RefusedBytes extends Error {}

/** The store forgets what it has copied of bytes that end in an error; those that ended in a refusal are refused. */
export async function takeAsset(assets: AssetStore, source: AssetSource): Promise<TakenAsset> {
  try {
    return await assets.take(source);
  } catch (error) {
    if (error instanceof RefusedBytes) return { kind: "refused", reason: error.message };
    throw error;
  }
}

/** Bytes at hand. */
export function bytesSource(bytes: Uint8Array, mediaType: string | null): AssetSource {
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  const open = { kind: "open", size: bytes.length, close: () => Promise.resolve() } as const;
  return { mediaType, open: () => Promise.resolve({ ...open, bytes: whole() }) };
}

export function refusedSource(reason: string, mediaType: string | null): AssetSource {
  return { mediaType, open: () => Promise.resolve({ kind: "refused", reason }) };
}
