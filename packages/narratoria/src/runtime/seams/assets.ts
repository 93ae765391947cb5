/** The seam to managed asset storage. `stores/asset-folder.ts` implements it; `attempt-tool.ts` hands files over. */

export interface AssetStore {
  /** Copies a file into storage. A file that is missing, too large or not plain is refused, never an error. */
  take(file: AssetFile): Promise<TakenAsset>;
}

export interface AssetFile {
  path: string;
  /** What the tool says it is; without it nothing is said. */
  mediaType?: string | undefined;
  /** The folders the file must really lie in; null when the tool was not confined to any. */
  within: readonly string[] | null;
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
