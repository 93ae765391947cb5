#!/usr/bin/env node
/**
 * The `narratoria` command, written so that old Node versions can read it: they hand over to the Node that came with
 * the packages, or say what is needed. `src/cli/main.ts` is the command itself.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 18)) {
  await runCommand();
} else {
  handOverToBundledNode();
}

async function runCommand() {
  const { useCompileCache } = await import("../src/cli/compile-cache.ts");
  useCompileCache();
  const { main } = await import("../src/cli/main.ts");
  // Not process.exit(): it would cut off what is still on its way to a piped stdout.
  process.exitCode = await main(process.argv.slice(2));
}

function handOverToBundledNode() {
  const node = findBundledNode();
  if (node === null) {
    console.error(
      `Narratoria needs Node.js 22.18 or newer; this is ${process.version}.\n` +
        "Install the current LTS from https://nodejs.org, or in a clone of the repository run `npm start` once.",
    );
    process.exitCode = 1;
    return;
  }
  // Through the fourth of these it hears what we are told, and that we are gone; `src/cli/signals.ts` listens.
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
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
    console.error(`The Node.js at ${node} could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (exitCode, signal) => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeListener(name, forward);
    if (signal === null) process.exitCode = exitCode;
    else process.kill(process.pid, signal);
  });
}

function findBundledNode() {
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return null;
  }
}
