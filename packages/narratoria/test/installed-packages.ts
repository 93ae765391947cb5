/**
 * The two packages as people have them: packed from this clone, and installed by npm into a folder of their own outside
 * of it. That takes a while, so it is done once for what the packages are made of, and kept for whoever asks next.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface InstalledPackages {
  /** With a `package.json` and a `node_modules`, readable by everybody. */
  folder: string;
  /** The folder of `narratoria` in it. */
  narratoria: string;
  /** What `narratoria` in `node_modules/.bin` runs. */
  command: string;
  tarballs: { tool: string; narratoria: string };
  /** The reports of every public name: `tool/NAME.api.md`, `narratoria/NAME.api.md`. */
  api: string;
}

/** For the hook of a test that waits for it. */
export const INSTALL_MS = 600_000;

const ROOT = resolve(import.meta.dirname, "../../..");
const PREFIX = `narratoria-installed-${userInfo().uid}-`;
const INPUTS = [
  ...["packages/narratoria", "packages/tool"].flatMap((each) => [`${each}/src`, `${each}/package.json`]),
  ...["packages/narratoria/bin", "packages/narratoria/web", "tools", "stories", "sdks", "contracts"],
  ...[
    "packages/tool/provide.cjs",
    "scripts/release",
    "package-lock.json",
    "tsconfig.json",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
  ],
];
const KEPT_MS = 24 * 60 * 60 * 1000;

export async function installedPackages(): Promise<InstalledPackages> {
  const place = join(tmpdir(), PREFIX + fingerprint());
  while (!existsSync(place)) {
    if (takeLock(`${place}.lock`)) {
      try {
        if (!existsSync(place)) await make(place);
      } finally {
        rmSync(`${place}.lock`, { recursive: true });
      }
    } else await sleep(500);
  }
  const folder = join(place, "installed");
  const narratoria = join(folder, "node_modules/narratoria");
  const [tool = "", own = ""] = readdirSync(join(place, "packed"))
    .filter((name) => name.endsWith(".tgz"))
    .toSorted((one, other) => other.length - one.length)
    .map((name) => join(place, "packed", name));
  return {
    folder,
    narratoria,
    command: join(narratoria, "bin/narratoria.js"),
    tarballs: { tool, narratoria: own },
    api: join(place, "packed/api"),
  };
}

/** As somebody does it, and then moved to where it is looked for. */
async function make(place: string): Promise<void> {
  removeOld();
  const unfinished = `${place}.${process.pid}`;
  const [packed, installed] = [join(unfinished, "packed"), join(unfinished, "installed")];
  mkdirSync(installed, { recursive: true });
  const pack = [
    "--disable-warning=ExperimentalWarning",
    join(ROOT, "scripts/release/pack.ts"),
    "--out",
    packed,
    "--reports",
    join(packed, "api"),
  ];
  execFileSync(process.execPath, pack, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
  // Without one npm would look for it in the folders above.
  writeFileSync(join(installed, "package.json"), JSON.stringify({ private: true }));
  const tarballs = readdirSync(packed).filter((name) => name.endsWith(".tgz"));
  const install = ["install", "--loglevel=error", "--no-audit", "--no-fund"];
  execFileSync("npm", [...install, ...tarballs.map((name) => join(packed, name))], { cwd: installed, stdio: "ignore" });
  execFileSync("chmod", ["-R", "u=rwX,go=rX", unfinished]);
  renameSync(unfinished, place);
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    // Whoever was killed in the middle does not remove it.
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > INSTALL_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function removeOld(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const old = join(tmpdir(), name);
    const age = Date.now() - (statSync(old, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > KEPT_MS) rmSync(old, { recursive: true, force: true });
  }
}

function fingerprint(): string {
  const hash = createHash("sha256").update(process.version);
  const add = (path: string): void => {
    if (statSync(path).isDirectory()) {
      const names = readdirSync(path).filter((name) => !["dist", "node_modules", "__pycache__"].includes(name));
      for (const name of names.toSorted()) add(join(path, name));
    } else if (!/\.test\.tsx?$/.test(basename(path))) hash.update(`\0${path}\0`).update(readFileSync(path));
  };
  for (const input of INPUTS) add(join(ROOT, input));
  return hash.digest("hex").slice(0, 16);
}
