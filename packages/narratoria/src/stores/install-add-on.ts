/**
 * Installs an add-on with the npm of this machine, into a folder beside its own that takes its place when all is there:
 * whatever happens on the way, what was there before stays. Nothing that a package brings is run.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startChild } from "../runtime/seams/start-child.ts";
import type { AddOn } from "./add-on-list.ts";
import { addOnFolder, filesIn, INSTALLED, LOADER, unfinishedFolder, versionsOf, type Installed } from "./add-ons.ts";
import { checkDataFolder, orInWords } from "./data-folder-check.ts";
import { makeFolders, writePrivateFile } from "./private-folder.ts";

export type Installation = { kind: "installed" } | { kind: "failed"; why: string };

/** When the signal aborts, nothing is left of it. */
export async function installAddOn(addOn: AddOn, dataDir: string, signal?: AbortSignal): Promise<Installation> {
  const folder = unfinishedFolder(dataDir, addOn.name);
  rmSync(folder, { recursive: true, force: true });
  const made = orInWords(dataDir, () => firstMade(folder));
  try {
    checkDataFolder(dataDir);
    const packages = versionsOf(addOn);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: packages }, null, 2));
    writeFileSync(join(folder, LOADER.name), LOADER.text);
    const npm = await runNpm(folder, signal);
    if (npm.kind === "failed") return npm;
    const other = addOn.packages.find(({ name, integrity }) => integrityOf(folder, name) !== integrity);
    if (other !== undefined) return failed(`what came as ${other.name} ${other.version} is not what was published`);
    const installed: Installed = { packages, files: filesIn(folder) };
    writePrivateFile(join(folder, INSTALLED), JSON.stringify(installed));
    const place = addOnFolder(dataDir, addOn.name);
    rmSync(place, { recursive: true, force: true });
    renameSync(folder, place);
    return { kind: "installed" };
  } finally {
    // What was made for nothing goes too: the folders above, where there were none.
    if (existsSync(folder)) rmSync(made, { recursive: true, force: true });
  }
}

/** Gives back the outermost folder that was not there. */
function firstMade(folder: string): string {
  let first = folder;
  while (!existsSync(dirname(first))) first = dirname(first);
  makeFolders(folder);
  return first;
}

const OPTIONS = [
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
  // With npm's own three attempts somebody without a network would wait for minutes.
  "--fetch-retries=1",
  "--fetch-retry-mintimeout=1000",
];

function runNpm(folder: string, signal?: AbortSignal): Promise<Installation> {
  return new Promise((settle) => {
    const started = startChild("npm", ["install", "--prefix", folder, ...OPTIONS], {
      cwd: folder,
      env: environmentOfNpm(),
      stdio: ["ignore", "ignore", "pipe"],
      shell: process.platform === "win32",
    });
    if (started.kind === "not_started") return settle(failed(`npm cannot be started: ${started.reason}`));
    const npm = started.child;
    let complaints = "";
    npm.stderr?.setEncoding("utf8").on("data", (text: string) => (complaints = (complaints + text).slice(-64 * 1024)));
    npm.once("error", () => settle(failed("it takes npm to add something, and there is no npm on the PATH")));
    const stop = (): void => void npm.kill();
    signal?.addEventListener("abort", stop, { once: true });
    npm.once("close", (code) => {
      signal?.removeEventListener("abort", stop);
      if (signal?.aborted) settle(failed("it was broken off"));
      else settle(code === 0 ? { kind: "installed" } : failed(explain(complaints)));
    });
    if (signal?.aborted) stop();
  });
}

/** Started by `npx` or `npm run` we have settings of that call in our environment, such as where it installs to. */
function environmentOfNpm(): NodeJS.ProcessEnv {
  const kept =
    /^npm_config_(?:registry|cache|cafile|ca|https?_proxy|proxy|noproxy|strict_ssl|userconfig|globalconfig)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || kept.test(name)));
}

const UNREACHABLE =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/;

function explain(complaints: string): string {
  if (UNREACHABLE.test(complaints)) {
    return "npm's registry cannot be reached from here: try again with a network";
  }
  if (/\bENOSPC\b/.test(complaints)) return "the disk is full";
  const lines = complaints.split("\n").map((line) => line.replace(/^npm (?:error|ERR!) ?/, ""));
  return `npm could not install it: ${lines.find((line) => line !== "" && !line.startsWith("code ")) ?? "it did not say why"}`;
}

function integrityOf(folder: string, name: string): string | undefined {
  const lock = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8")) as {
    packages: Record<string, { integrity?: string }>;
  };
  return lock.packages[`node_modules/${name}`]?.integrity;
}

function failed(why: string): Installation {
  return { kind: "failed", why };
}
