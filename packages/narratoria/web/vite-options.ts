/** How the web is built; `build.ts` runs it. Nothing leaves the page's own origin. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { InlineConfig, Plugin } from "vite";

export const WEB_FOLDER = import.meta.dirname;
export const OUTPUT_FOLDER = path.join(WEB_FOLDER, "dist");
const PUBLIC_FOLDER = path.join(WEB_FOLDER, "public");

const { version } = JSON.parse(readFileSync(path.join(WEB_FOLDER, "../package.json"), "utf8")) as { version: string };

export const viteOptions: InlineConfig = {
  root: WEB_FOLDER,
  configFile: false,
  logLevel: "error",
  oxc: { jsx: { runtime: "automatic" } },
  define: { NARRATORIA_VERSION: JSON.stringify(version) },
  plugins: [listShell()],
  build: {
    outDir: OUTPUT_FOLDER,
    emptyOutDir: true,
    target: "es2022",
    // A strict content policy forbids data: addresses and inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: {
        index: path.join(WEB_FOLDER, "index.html"),
        sw: path.join(WEB_FOLDER, "src/offline/service-worker.ts"),
      },
      output: {
        // The browser asks for the service worker by the same name for ever.
        entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
      },
    },
  },
};

/** Tells the service worker which files the app is made of. */
function listShell(): Plugin {
  return {
    name: "list-shell",
    enforce: "post",
    generateBundle(_, bundle) {
      const built = Object.keys(bundle).filter((name) => name !== "sw.js");
      const kept = readdirSync(PUBLIC_FOLDER).toSorted();
      const shell = [...built, ...kept].map((name) => `/${name}`).toSorted();
      const page = bundle["index.html"];
      const version = createHash("sha256").update(shell.join("\n"));
      // Built files carry a hash of their content in their names; these do not.
      if (page?.type === "asset") version.update(page.source);
      for (const name of kept) version.update(readFileSync(path.join(PUBLIC_FOLDER, name)));
      const worker = bundle["sw.js"];
      if (worker?.type !== "chunk") throw new Error("the service worker was not built");
      worker.code = worker.code
        .replace(/["'`]%SHELL%["'`]/, shell.map((name) => JSON.stringify(name)).join())
        .replace("%VERSION%", version.digest("hex").slice(0, 12));
    },
  };
}
