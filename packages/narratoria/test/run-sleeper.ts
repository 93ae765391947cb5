/** A host that runs a tool which sleeps, to be killed meanwhile. Used as `node run-sleeper.ts MARK`. */
import { createProcessRunner } from "../src/runners/process.ts";
import { portTo } from "./attempt-port.ts";
import { fixtureCall } from "./run-fixture.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

const runner = createProcessRunner({ sandbox: await sandboxOfLevel("full") });
const command = ["/bin/sh", "-c", `setsid sh -c 'sleep 300; : ${process.argv[2]}' & sleep 300; : ${process.argv[2]}`];
process.stdout.write("launching\n");
await runner.run(
  fixtureCall("sleeper", { command, timeoutMs: 60_000 }),
  portTo(() => undefined),
  new AbortController().signal,
);
