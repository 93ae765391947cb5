/** The data folder from outside: where it lies, whether it is whole, copies of it, its add-ons, and the private files in it. */
export { dataFolder } from "./stores/data-folder.ts";
export { StoreError } from "./stores/open-database.ts";
export { DATA_FILES, makeDataFolder } from "./stores/data-folder-check.ts";
export { lockDataFolder, type HostLock } from "./stores/host-lock.ts";
export { readPrivateFile, writePrivateFile } from "./stores/private-folder.ts";
export { backUp } from "./stores/back-up.ts";
export { examineStore, isDamaged, type StoreFindings } from "./stores/examine-store.ts";
export { ADD_ONS, type AddOn } from "./stores/add-on-list.ts";
export {
  findAddOn,
  openAddOn,
  removeAddOn,
  stateOfAddOn,
  type AddOnState,
  type OpenedAddOn,
} from "./stores/add-ons.ts";
export { installAddOn } from "./stores/install-add-on.ts";
export { repairStore, type Repair } from "./stores/repair-store.ts";
export { wordsForLostEnds, type LostEnd } from "./stores/lost-ends.ts";
export { createSignInFile, KEEPS_NO_KEYS, type KeptKey, type KeyKeeper } from "./stores/sign-in-file.ts";
