/** The dialogs that any place can open: the settings and the sheet of keys. */
import { useCallback, useSyncExternalStore } from "react";
import { useGlobalKeys } from "./global-keys.ts";
import { SettingsDialog } from "./settings-dialog.tsx";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";

type Shown = "settings" | "shortcuts" | null;

let shown: Shown = null;
const listeners = new Set<() => void>();

export function showDialog(which: Shown): void {
  shown = which;
  for (const listener of listeners) listener();
}

export function AppDialogs({ sessionId }: { sessionId: string | null }) {
  const open = useSyncExternalStore(watch, () => shown);
  useGlobalKeys(
    sessionId,
    useCallback(() => showDialog("shortcuts"), []),
  );
  const close = (): void => showDialog(null);
  if (open === "settings") return <SettingsDialog close={close} />;
  return open === "shortcuts" ? <ShortcutsDialog close={close} /> : null;
}

function watch(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}
