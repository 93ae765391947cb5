/** Shows an address in the person's browser where there is a screen; where there is none, nothing happens. */
import { spawn } from "node:child_process";

export function openBrowser(url: string): void {
  const command = browserCommand(url);
  if (command === null) return;
  const [program, ...args] = command;
  // No browser to start is no reason to stop: the address was printed too.
  spawn(program, args, { detached: true, stdio: "ignore" })
    .on("error", () => {})
    .unref();
}

function browserCommand(url: string): [program: string, ...args: string[]] | null {
  switch (process.platform) {
    case "darwin":
      return ["open", url];
    case "win32":
      return ["rundll32", "url.dll,FileProtocolHandler", url];
    default:
      return process.env["DISPLAY"] || process.env["WAYLAND_DISPLAY"] ? ["xdg-open", url] : null;
  }
}
