#!/usr/bin/env node
/**
 * The `narratoria` command, written so that old Node versions can read it: they hand over to the Node that came with
 * the packages, or say what is needed. `src/cli/main.ts` is the command itself. Each way loads only what it needs.
 */
const args = process.argv.slice(2);
const [major, minor] = process.versions.node.split(".").map(Number);

const asked = args.length === 1 ? args[0] : null;

if (asked === "--version" || asked === "-V") void printVersion();
else if (asked === "--help" || asked === "-h") void printHelp();
else void run();

function run() {
  return major > 22 || (major === 22 && minor >= 18) ? runCommand() : handOverToBundledNode();
}

async function printVersion() {
  const { readFileSync } = await import("fs");
  print(`${JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version}\n`);
}

/** Written when the package was made: to put it together takes as long as Node's own start. A clone has none. */
async function printHelp() {
  const { existsSync, readFileSync } = await import("fs");
  const file = new URL("../help.txt", import.meta.url);
  if (existsSync(file)) print(readFileSync(file, "utf8"));
  else await run();
}

/** As `src/cli/watch-output.ts` does it. */
function print(text) {
  process.stdout.on("error", ({ code, message }) => {
    process.exitCode = 1;
    if (code !== "EPIPE") console.error(`narratoria: what was to be printed could not be written: ${message}`);
  });
  process.stdout.write(text);
}

async function runCommand() {
  if (major === 22) ignoreWarningOfSqlite();
  const { useCompileCache } = await import("../src/cli/compile-cache.ts");
  useCompileCache();
  const { main } = await import("../src/cli/main.ts");
  // Not process.exit(): it would cut off what is still on its way to a piped stdout.
  process.exitCode = await main(args);
}

/** Node 22 says on stderr that its own SQLite is experimental. It is the same that newer ones say nothing about. */
function ignoreWarningOfSqlite() {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...rest) => {
    if (!String(warning).startsWith("SQLite is an experimental feature")) emitWarning(warning, ...rest);
  };
}

async function handOverToBundledNode() {
  const node = await findBundledNode();
  if (node === null) {
    console.error(
      `narratoria: Node.js 22.18 or newer is needed, and this is ${process.version}: ` +
        `install the current LTS from https://nodejs.org${adviceForLinux()}.`,
    );
    process.exitCode = 1;
    return;
  }
  const { spawn } = await import("child_process");
  const { fileURLToPath } = await import("url");
  // Through the fourth of these it hears what we are told, and that we are gone; `src/cli/signals.ts` listens.
  const child = spawn(node, [fileURLToPath(import.meta.url), ...args], {
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: { ...process.env, NARRATORIA_LAUNCHER_FD: "3" },
  });
  // Without descriptors to spare there is no child, and no streams of it: the error says so.
  const link = child.stdio?.[3];
  link?.on("error", () => {});
  // A token may stand among the arguments, and the list of processes is for everybody to read.
  process.title = "narratoria";
  const forward = (signal) => link?.write(`${signal}\n`);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, forward);
  child.on("error", (error) => {
    console.error(`narratoria: the Node.js at ${node} could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (exitCode, signal) => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeListener(name, forward);
    if (signal === null) process.exitCode = exitCode;
    else process.kill(process.pid, signal);
  });
}

async function findBundledNode() {
  const { createRequire } = await import("module");
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return null;
  }
}

/** Where Node comes as a package too. */
function adviceForLinux() {
  const name = `node-${process.platform}-${process.arch}`;
  return /^node-linux-(x64|arm64)$/.test(name) ? `, or put one beside Narratoria with \`npm install ${name}@24\`` : "";
}
