/** A host that runs the attacks named, or all, and prints what came of each as a line: `node run-attacks.ts NAME...`. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createProcessRunner } from "../../src/runners/process.ts";
import { outcomeOf, runFixture } from "../run-fixture.ts";
import { sandboxOfLevel } from "../sandbox-of-level.ts";
import { ATTACKS, type Attack } from "./attacks.ts";

export interface Aftermath {
  program: string;
  ended: string;
  /** What it says it got. */
  got: unknown;
  crossed: string | null;
  stderr: string;
}

const STORY = fileURLToPath(new URL(".", import.meta.url));
const wanted = process.argv.slice(2);
const sandbox = await sandboxOfLevel("full");
for (const attack of ATTACKS) {
  if (wanted.length > 0 && !wanted.includes(attack.program)) continue;
  process.stdout.write(`${JSON.stringify(await run(attack))}\n`);
}
await sandbox.close?.();

async function run(attack: Attack): Promise<Aftermath> {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "narratoria-attack-"));
  const place = join(root, "place");
  // Everybody may walk there: what keeps a tool out is the sandbox.
  mkdirSync(place);
  for (const folder of [root, place]) chmodSync(folder, 0o755);
  try {
    attack.prepare(place);
    const { report, events } = await runFixture(
      createProcessRunner({ sandbox, terminateGraceMs: 200 }),
      attack.program,
      {
        command: ["/usr/bin/python3", join(STORY, attack.program)],
        storyDir: STORY,
        input: { place },
        grants: attack.grants(place),
        limits: attack.limits,
        timeoutMs: 25_000,
      },
    );
    const patch = events.find((event) => event.type === "state_patch")?.patch as { got?: unknown } | undefined;
    const ended = outcomeOf(report);
    return {
      program: attack.program,
      ended,
      got: patch?.got ?? null,
      crossed: attack.crossed(place),
      stderr: report.stderrTail,
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
