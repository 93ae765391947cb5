/** The seam to managed asset storage. `stores/asset-folder.ts` implements it; `attempt-tool.ts` hands files over. */

export interface AssetStore {
  /** Copies a file into storage. A file that is missing, too large or not plain is refused, never an error. */
  take(file: AssetFile): Promise<TakenAsset>;
}

export interface AssetFile {
  path: string;
  /** The folders the file must really lie in; null when the tool was not confined to any. */
  within: readonly string[] | null;
}

export type TakenAsset = { kind: "stored"; sha256: string; bytes: number } | { kind: "refused"; reason: string };
