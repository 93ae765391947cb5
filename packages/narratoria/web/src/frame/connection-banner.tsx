/** Says when the connection is lost and when it is back; nothing needs to be done by the player either way. */
import { Icon } from "../icon.tsx";
import type { Connection } from "../session-store.ts";

export function ConnectionBanner({ connection }: { connection: Connection }) {
  const isLost = connection === "lost";
  const isShown = isLost || connection === "back";
  // Always in the document: a live region speaks only of what changes inside it.
  return (
    <div role="status" className="banner-place">
      {isShown && (
        <p className={isLost ? "banner lost" : "banner"}>
          <Icon name={isLost ? "wifi_off" : "wifi"} />
          {isLost ? "Connection lost. Your story is safe; trying again…" : "Back again. Nothing was lost."}
        </p>
      )}
    </div>
  );
}
