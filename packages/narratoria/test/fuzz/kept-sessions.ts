/** A scripted host that keeps its sessions in a database and its assets in a folder, as the real one does. */
import { assetPath, createAssetFolder, sweepAssets } from "../../src/stores/asset-folder.ts";
import { createAssetHolds, releasingHolds } from "../../src/stores/asset-holds.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { createScriptedHost, type ScriptedHost, type ScriptedHostOptions } from "../scripted-host.ts";

export interface KeptSessionsOptions extends ScriptedHostOptions {
  assetDir: string;
}

export function createKeptSessions({ assetDir, file = ":memory:", ...options }: KeptSessionsOptions): ScriptedHost {
  const holds = createAssetHolds();
  return createScriptedHost({
    ...options,
    store: releasingHolds(openSqliteStore(file), holds),
    assets: {
      store: createAssetFolder(assetDir, undefined, holds),
      file: (sha256) => assetPath(assetDir, sha256),
      sweep: (hashes) => sweepAssets(assetDir, hashes, holds),
    },
  });
}
