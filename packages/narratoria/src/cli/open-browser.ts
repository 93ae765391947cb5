/**
 * Shows an address in the person's browser where there is a screen; where there is none, that is said. The list of
 * processes is for everybody to read, so what a browser is started with is a file of ours that leads to the address.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DATA_FILES, writePrivateFile } from "../data.ts";
import { startChild } from "../index.ts";

/** Gives back how to take the file away again. */
export function openBrowser(url: string, dataDir: string, noBrowser: () => void): () => void {
  const file = join(dataDir, DATA_FILES.opening);
  const command = browserCommand(file);
  if (command === null) {
    noBrowser();
    return () => {};
  }
  writePrivateFile(file, pageThatLeadsTo(url));
  const [program, ...args] = command;
  // No browser to start is no reason to stop: the address was printed too.
  const started = startChild(program, args, { detached: true, stdio: "ignore" });
  if (started.kind === "not_started") noBrowser();
  else {
    started.child.on("error", noBrowser).on("exit", (code) => (code === 0 || code === null ? undefined : noBrowser()));
    started.child.unref();
  }
  return () => rmSync(file, { force: true });
}

function pageThatLeadsTo(url: string): string {
  const address = url.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Narratoria</title>
<a href="${address}">Open Narratoria</a>
`;
}

function browserCommand(file: string): [program: string, ...args: string[]] | null {
  switch (process.platform) {
    case "darwin":
      return ["open", file];
    case "win32":
      return ["rundll32", "url.dll,FileProtocolHandler", file];
    default:
      return process.env["DISPLAY"] || process.env["WAYLAND_DISPLAY"] ? ["xdg-open", pathToFileURL(file).href] : null;
  }
}
