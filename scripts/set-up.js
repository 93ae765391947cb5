/**
 * Makes the folder ready for `npm start` or `npm test`: packages first, then programs of the system. Runs before both
 * (prestart, pretest), so it is plain JavaScript for old Node versions and needs nothing but Node itself.
 * A stamp in node_modules says what is already done; with a matching stamp this takes a few milliseconds.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST_NODE_FOR_SET_UP = [18, 0];
const OLDEST_NODE_FOR_NARRATORIA = [22, 18];
const LOCK_IS_STALE_AFTER_MS = 10 * 60 * 1000;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const nodeModules = path.join(root, "node_modules");
const stampFile = path.join(nodeModules, ".narratoria-setup");
const lockFile = path.join(nodeModules, ".narratoria-setup.lock");

const mode = process.argv[2];
if (mode !== "start" && mode !== "test") fail("Usage: node scripts/set-up.js start|test");
if (!isNodeAtLeast(OLDEST_NODE_FOR_SET_UP)) {
  fail(`Narratoria needs Node.js 18 or newer to set itself up; this is ${process.version}. See https://nodejs.org`);
}
await setUp();

async function setUp() {
  if (!isInstalled()) {
    await takeLock();
    // Whoever held the lock before may have done the work.
    if (!isInstalled()) await installPackages();
  }
  if (!isNodeAtLeast(OLDEST_NODE_FOR_NARRATORIA) && !fs.existsSync(bundledNode())) fail(explainMissingNode());
  if (process.platform === "linux") {
    await ensureSystemPackage({ command: "bwrap", debianPackage: "bubblewrap", why: "tools run in a sandbox" });
    if (mode === "test" && !hasBrowser()) {
      await ensureSystemPackage({
        command: "chromium",
        debianPackage: "chromium",
        why: "the app is tested in a browser",
      });
    }
  }
}

/** A test-mode install holds everything that start needs. */
function isInstalled() {
  const { installed } = readStamp();
  return installed === fingerprint("test") || (mode === "start" && installed === fingerprint("start"));
}

async function installPackages() {
  // npm removes development packages under --omit=dev, so once they are here they stay.
  const installMode = mode === "test" || hasDevelopmentPackages() ? "test" : "start";
  const install = ["install", "--no-save", "--loglevel=error", "--no-audit", "--no-fund", "--include=optional"];
  // No package needs its install script; in .npmrc this would also switch off prestart and pretest.
  install.push("--ignore-scripts");
  // --include=dev because npm leaves development packages out when NODE_ENV is "production".
  install.push(installMode === "test" ? "--include=dev" : "--omit=dev");

  fs.rmSync(stampFile, { force: true });
  const { code, output } = await runWithProgress(
    "Installing what Narratoria needs (about a minute the first time)",
    ...npmCommand(install),
  );
  if (code !== 0) fail(`${output.trim()}\n\nThe packages could not be installed. ${adviseOnNpmFailure(output)}`);
  removeNodeThatCannotRun();
  writeStamp({ installed: fingerprint(installMode), unavailable: [] });
}

/** Installs a program by apt where that is possible; otherwise says what is missing and goes on. */
async function ensureSystemPackage({ command, debianPackage, why }) {
  if (findInPath(command)) return;
  const stamp = readStamp();
  const byHand = `Please install ${debianPackage} so that ${why}; going on without it.`;
  const canUseApt = process.platform === "linux" && process.getuid() === 0 && findInPath("apt-get");
  // A failed attempt is remembered: without a network each one would delay every start by seconds.
  if (!canUseApt || stamp.unavailable.includes(debianPackage) || process.env.NARRATORIA_NO_INSTALL) return say(byHand);

  say(
    `This runs as root, so it installs the system's package ${debianPackage}, so that ${why}. ` +
      "With NARRATORIA_NO_INSTALL=1 it leaves the system as it is.",
  );
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const install = ["install", "-y", "-q", "--no-install-recommends", debianPackage];
  const title = `Installing ${debianPackage} so that ${why}`;
  let { code } = await runWithProgress(title, "apt-get", install, env);
  if (code !== 0) {
    await runWithProgress("Updating the list of system packages", "apt-get", ["update", "-q"], env);
    ({ code } = await runWithProgress(title, "apt-get", install, env));
  }
  if (code === 0) return;
  writeStamp({ ...stamp, unavailable: [...stamp.unavailable, debianPackage] });
  say(byHand);
}

/** Prints one line that ends in how long it took; what the command prints is kept for the caller. */
function runWithProgress(title, command, args, env = process.env) {
  const startedAt = Date.now();
  process.stderr.write(`${title}...`);
  const dots = setInterval(() => process.stderr.write("."), 5000);
  return new Promise((resolve) => {
    let output = "";
    const finish = (code) => {
      clearInterval(dots);
      const seconds = Math.max(1, Math.round((Date.now() - startedAt) / 1000));
      process.stderr.write(code === 0 ? ` done in ${seconds} s\n` : ` failed after ${seconds} s\n`);
      resolve({ code, output });
    };
    const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => {
      output += error.message;
      finish(1);
    });
    child.on("close", (code) => finish(code));
  });
}

/** Inside an npm script npm says where it is and which Node runs it; that Node stays when .bin/node is replaced. */
function npmCommand(args) {
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  if (npm && /\.[cm]?js$/.test(npm)) return [node || process.execPath, [npm, ...args]];
  return process.platform === "win32" ? ["cmd.exe", ["/d", "/c", "npm", ...args]] : ["npm", args];
}

function adviseOnNpmFailure(output) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH/.test(output)) {
    return "The package registry cannot be reached: check the network (and the proxy settings of npm), then try again.";
  }
  if (/ENOSPC/.test(output)) return "The disk is full: make room, then try again.";
  if (/EACCES|EPERM/.test(output))
    return `This user may not write to ${nodeModules}: change its owner, then try again.`;
  return "What npm said is above. If it does not help, delete the folder node_modules and try again.";
}

/** Beside a C library it was not built for (Alpine's musl) the bundled Node would break every npm script. */
function removeNodeThatCannotRun() {
  if (!fs.existsSync(bundledNode())) return;
  if (spawnSync(bundledNode(), ["--version"]).status !== 0) fs.rmSync(bundledNode(), { force: true });
}

function explainMissingNode() {
  const [major, minor] = OLDEST_NODE_FOR_NARRATORIA;
  return (
    `Narratoria needs Node.js ${major}.${minor} or newer; this is ${process.version}, and no newer one could be ` +
    `fetched for ${process.platform} ${process.arch}. Install the current LTS from https://nodejs.org and try again.`
  );
}

/** What an install depends on: when none of it changed, the installed packages are still the right ones. */
function fingerprint(installMode) {
  const packages = fs.readdirSync(path.join(root, "packages")).sort();
  const manifests = packages.map((name) => path.join("packages", name, "package.json"));
  const hash = createHash("sha256").update(`${installMode} ${process.platform} ${process.arch}`);
  for (const name of ["package.json", "package-lock.json", ".npmrc", ...manifests]) {
    const file = path.join(root, name);
    hash.update(`\0${name}\0`).update(fs.existsSync(file) ? fs.readFileSync(file) : "absent");
  }
  return hash.digest("hex");
}

function hasDevelopmentPackages() {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  return Object.keys(manifest.devDependencies || {}).some((name) => fs.existsSync(path.join(nodeModules, name)));
}

function readStamp() {
  try {
    return { installed: "", unavailable: [], ...JSON.parse(fs.readFileSync(stampFile, "utf8")) };
  } catch {
    return { installed: "", unavailable: [] };
  }
}

function writeStamp(stamp) {
  fs.mkdirSync(nodeModules, { recursive: true });
  fs.writeFileSync(stampFile, `${JSON.stringify(stamp)}\n`);
}

/** Two set-ups at once would install over each other. Held until this process ends, however it ends. */
async function takeLock() {
  fs.mkdirSync(nodeModules, { recursive: true });
  for (let tries = 0; ; tries++) {
    try {
      fs.writeFileSync(lockFile, String(process.pid), { flag: "wx" });
      process.on("exit", () => fs.rmSync(lockFile, { force: true }));
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (isLockStale()) fs.rmSync(lockFile, { force: true });
    else {
      if (tries === 0) say("Another set-up is at work in this folder; waiting for it.");
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
}

function isLockStale() {
  try {
    if (Date.now() - fs.statSync(lockFile).mtimeMs > LOCK_IS_STALE_AFTER_MS) return true;
    process.kill(Number(fs.readFileSync(lockFile, "utf8")), 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

function bundledNode() {
  return path.join(nodeModules, ".bin", "node");
}

function findInPath(command) {
  return (process.env.PATH || "").split(path.delimiter).some((folder) => fs.existsSync(path.join(folder, command)));
}

/** The names under which the tests look for one, besides the one that CHROMIUM gives. */
function hasBrowser() {
  return Boolean(process.env.CHROMIUM) || ["chromium", "chromium-browser", "google-chrome"].some(findInPath);
}

function isNodeAtLeast([major, minor]) {
  const [ownMajor, ownMinor] = process.versions.node.split(".").map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function fail(line) {
  say(line);
  process.exit(1);
}
