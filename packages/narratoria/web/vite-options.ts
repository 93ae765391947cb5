/** How the web is built; `build.ts` runs it, `scripts/dev-web.ts` would serve it. Nothing leaves the page's own origin. */
import path from "node:path";
import type { InlineConfig } from "vite";

export const WEB_FOLDER = import.meta.dirname;
export const OUTPUT_FOLDER = path.join(WEB_FOLDER, "dist");

export const viteOptions: InlineConfig = {
  root: WEB_FOLDER,
  configFile: false,
  logLevel: "error",
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    outDir: OUTPUT_FOLDER,
    emptyOutDir: true,
    target: "es2022",
    // A strict content policy forbids data: addresses and inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
  },
};
