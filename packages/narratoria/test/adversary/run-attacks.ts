/** A host that runs the attacks named, or all, and prints what came of each as a line: `node run-attacks.ts NAME...`. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from "node:fs";
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
  /** What lies in the temporary folder when the tool is gone. */
  left: string[];
  stderr: string;
}

const STORY = fileURLToPath(new URL(".", import.meta.url));
const TEMPORARY = realpathSync(tmpdir());
const wanted = process.argv.slice(2);
const sandbox = await sandboxOfLevel("full");
for (const attack of ATTACKS) {
  if (wanted.length > 0 && !wanted.includes(attack.program)) continue;
  process.stdout.write(`${JSON.stringify(await run(attack))}\n`);
}
await sandbox.close();

async function run(attack: Attack): Promise<Aftermath> {
  const root = mkdtempSync(join(TEMPORARY, "narratoria-attack-"));
  const [place, temporary] = [join(root, "place"), join(root, "temporary")];
  // Everybody may walk there: what keeps a tool out is the sandbox.
  for (const folder of [root, place, temporary]) {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
  }
  process.env["TMPDIR"] = temporary;
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
    return {
      program: attack.program,
      ended: outcomeOf(report),
      got: patch?.got ?? null,
      crossed: attack.crossed(place),
      left: readdirSync(temporary),
      stderr: report.stderrTail,
    };
  } finally {
    process.env["TMPDIR"] = TEMPORARY;
    // What a broken sandbox leaves may be more than Node can remove.
    execFileSync("rm", ["-rf", root]);
  }
}
