/** Saves a session as the one file that another machine opens; the server names it. */
import { exportPath } from "../api.ts";
import { downloadFrom } from "../signed-link.tsx";

export function downloadSession(sessionId: string): void {
  void downloadFrom(exportPath(sessionId), "");
}
