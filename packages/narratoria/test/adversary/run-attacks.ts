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
  /** What lies in the temporary folder when the tool is gone, besides what stays for the next one. */
  left: string[];
  stderr: string;
}

const STORY = fileURLToPath(new URL(".", import.meta.url));
const wanted = process.argv.slice(2);
const root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-attacks-")));
const temporary = madeFolder("temporary");
process.env["TMPDIR"] = temporary;
const sandbox = await sandboxOfLevel("full");
try {
  for (const attack of ATTACKS) {
    if (wanted.length > 0 && !wanted.includes(attack.program)) continue;
    process.stdout.write(`${JSON.stringify(await run(attack))}\n`);
  }
} finally {
  await sandbox.close?.();
  // What a broken sandbox leaves may be more than Node can remove.
  execFileSync("rm", ["-rf", root]);
}

/** Everybody may walk there: what keeps a tool out is the sandbox. */
function madeFolder(name: string): string {
  mkdirSync(join(root, name));
  for (const folder of [root, join(root, name)]) chmodSync(folder, 0o755);
  return join(root, name);
}

async function run(attack: Attack): Promise<Aftermath> {
  const place = madeFolder(attack.program);
  attack.prepare(place);
  const { report, events } = await runFixture(createProcessRunner({ sandbox, terminateGraceMs: 200 }), attack.program, {
    command: ["/usr/bin/python3", join(STORY, attack.program)],
    storyDir: STORY,
    input: { place },
    grants: attack.grants(place),
    limits: attack.limits,
    timeoutMs: 25_000,
  });
  const patch = events.find((event) => event.type === "state_patch")?.patch as { got?: unknown } | undefined;
  return {
    program: attack.program,
    ended: outcomeOf(report),
    got: patch?.got ?? null,
    crossed: attack.crossed(place),
    left: readdirSync(temporary).filter((name) => !name.startsWith("narratoria-stage-")),
    stderr: report.stderrTail,
  };
}
