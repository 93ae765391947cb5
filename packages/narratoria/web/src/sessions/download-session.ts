/** Saves a session as the one file that another machine opens; the server names it. */
import { exportAddress } from "../api.ts";

export function downloadSession(sessionId: string): void {
  const link = document.createElement("a");
  link.href = exportAddress(sessionId);
  link.download = "";
  link.click();
}
