/** The data folder from outside: where it lies, whether it is whole, copies of it, and the private files in it. */
export { dataFolder } from "./stores/data-folder.ts";
export { StoreError } from "./stores/open-database.ts";
export { DATA_FILES, makeDataFolder } from "./stores/data-folder-check.ts";
export { diskTroubleIn } from "./runtime/seams/disk-trouble.ts";
export { lockDataFolder, type HostLock } from "./stores/host-lock.ts";
export { readPrivateFile, writePrivateFile } from "./stores/private-folder.ts";
export { backUp } from "./stores/back-up.ts";
export { examineStore, isDamaged, type StoreFindings } from "./stores/examine-store.ts";
export { repairStore, type Repair } from "./stores/repair-store.ts";
export { wordsForLostEnds, type LostEnd } from "./stores/lost-ends.ts";
export { createSignInFile, KEEPS_NO_KEYS, type KeptKey, type KeyKeeper } from "./stores/sign-in-file.ts";
