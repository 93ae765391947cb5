/**
 * Runs one fixture in a host process of its own and prints how far that host's memory rose meanwhile: a test runner's
 * own memory moves too much to measure in. Used as `node measure-host.ts FIXTURE none|full`.
 */
import { createProcessRunner } from "../src/runners/process.ts";
import { portTo } from "./attempt-port.ts";
import { fixtureCall, outcomeOf } from "./run-fixture.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

const [fixture = "", level = "none"] = process.argv.slice(2);
const sandbox = await sandboxOfLevel(level);
const runner = createProcessRunner({ sandbox });
const signal = new AbortController().signal;
await runner.run(
  fixtureCall("completes"),
  portTo(() => undefined),
  signal,
);

let events = 0;
const before = process.memoryUsage().rss;
let highest = before;
const timer = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 10);
const report = await runner.run(
  fixtureCall(fixture, { timeoutMs: 100_000 }),
  portTo(() => void events++),
  signal,
);
clearInterval(timer);
highest = Math.max(highest, process.memoryUsage().rss);
process.stdout.write(
  JSON.stringify({ outcome: outcomeOf(report), events, megabytes: (highest - before) / 1024 / 1024 }),
);
await sandbox.close();
