/**
 * A host that runs attacks and prints what came of each as a line, and at last what became of its house:
 * `node run-attacks.ts LEVEL ACCOUNT [PROGRAM...]`. `adversary.test.ts` starts it as root and as an ordinary user.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProcessRunner } from "../../src/runners/process.ts";
import { createAssetFolder } from "../../src/stores/asset-folder.ts";
import { outcomeOf, runFixture } from "../run-fixture.ts";
import { sandboxOfLevel } from "../sandbox-of-level.ts";
import { ATTACKS, type Attack } from "./attacks.ts";
import { makeHouse } from "./house.ts";

export interface Aftermath {
  program: string;
  ended: string;
  /** What it says it got, and what it handed over. */
  got: unknown[];
  crossed: string | null;
  stderr: string;
}

export interface Ending {
  /** What is not as it was in the house. */
  damage: string[];
  /** What lies in the temporary folder when all are gone, besides what stays for the next. */
  left: string[];
}

const [level = "full", account = "root", ...wanted] = process.argv.slice(2);
const root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-attacks-")));
// Everybody may walk there: what keeps a tool out is the sandbox.
chmodSync(root, 0o755);
for (const name of ["temporary", "places", "assets"]) mkdirSync(join(root, name), { mode: 0o755 });
process.env["TMPDIR"] = join(root, "temporary");
const house = await makeHouse(root);
const sandbox = await sandboxOfLevel(level, [house.hidden]);
const store = createAssetFolder(join(root, "assets"));
const chosen = ATTACKS.filter(
  ({ as, program }) => as.some((who) => who === account) && (wanted.length === 0 || wanted.includes(program)),
);
const isGreedy = ({ ends }: Attack): boolean => ends !== "completed";
try {
  // What only asks may do so side by side; of what takes memory, one at a time: they would be judged together.
  const asking = chosen.filter((attack) => !isGreedy(attack));
  await Promise.all(Array.from({ length: 4 }, () => runInTurn(asking)));
  const takingMemory = ({ ends }: Attack): boolean => ends.endsWith("OOM");
  await Promise.all([
    runInTurn(chosen.filter((attack) => isGreedy(attack) && takingMemory(attack))),
    runInTurn(chosen.filter((attack) => isGreedy(attack) && !takingMemory(attack))),
  ]);
  await sandbox.close();
  tell({ damage: house.damage(), left: readdirSync(join(root, "temporary")) } satisfies Ending);
} finally {
  house.close();
  // What a broken sandbox leaves may be more than Node can remove.
  execFileSync("rm", ["-rf", root]);
}

async function runInTurn(queue: Attack[]): Promise<void> {
  for (let attack = queue.shift(); attack !== undefined; attack = queue.shift()) {
    const next = attack;
    const place = join(root, "places", next.program);
    mkdirSync(place);
    next.prepare(place);
    for (const aftermath of await Promise.all(Array.from({ length: next.atOnce }, () => run(next, place))))
      tell(aftermath);
  }
}

async function run(attack: Attack, place: string): Promise<Aftermath> {
  const { program } = attack;
  const taken: string[] = [];
  const { report, events } = await runFixture(createProcessRunner({ sandbox, terminateGraceMs: 200 }), program, {
    command: ["/usr/bin/python3", "-B", join(house.story, program)],
    storyDir: house.story,
    input: { place, host: house.known },
    grants: attack.grants(place),
    limits: attack.limits,
    timeoutMs: 25_000,
    sink: async ({ event, asset }) => {
      if (event.type !== "asset" || asset === undefined) return undefined;
      if ((await store.take(asset)).kind === "stored") taken.push(event.assetId);
      return undefined;
    },
  });
  const patch = events.find((event) => event.type === "state_patch")?.patch as { got?: unknown } | undefined;
  const got = patch?.got ?? null;
  return {
    program,
    ended: outcomeOf(report),
    got: got === null ? taken : [got, ...taken],
    crossed: attack.crossed(place, report.stderrTail),
    stderr: report.stderrTail,
  };
}

function tell(what: Aftermath | Ending): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}
