/**
 * A host that runs a tool which sleeps, to be killed meanwhile: `node run-sleeper.ts MARK`. With a program in the place
 * of bubblewrap, `node run-sleeper.ts MARK PROGRAM`, it kills itself as soon as it has started that.
 */
import { createProcessRunner } from "../src/runners/process.ts";
import type { Sandbox } from "../src/runtime/seams/sandbox.ts";
import { createBubblewrap } from "../src/sandbox/bubblewrap.ts";
import { portTo } from "./attempt-port.ts";
import { fixtureCall } from "./run-fixture.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

const [mark, program] = process.argv.slice(2);
const sandbox = program === undefined ? await sandboxOfLevel("full") : killingItself(program);
const command = ["/bin/sh", "-c", `setsid sh -c 'sleep 300; : ${mark}' & sleep 300; : ${mark}`];
process.stdout.write("launching\n");
const call = fixtureCall("sleeper", { command, timeoutMs: 60_000 });
await createProcessRunner({ sandbox }).run(
  call,
  portTo(() => undefined),
  new AbortController().signal,
);

function killingItself(program: string): Sandbox {
  const bubblewrap = createBubblewrap({ program, hidden: [] });
  return {
    ...bubblewrap,
    launch: async (tool) => {
      const launched = await bubblewrap.launch(tool);
      process.kill(process.pid, "SIGKILL");
      return launched;
    },
  };
}
