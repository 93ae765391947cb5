/**
 * What a long history costs: opening a session of 1,000 turns and a million events against one of ten turns, and telling
 * turn 1,000 against telling turn 10. Both sessions lie in one store each, written by the real log.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createScriptedHost,
  end,
  logLine,
  patch,
  planOf,
  type ScriptedHost,
} from "../packages/narratoria/test/scripted-host.ts";
import { compareInterleaved, type Benchmark, type Row } from "./compare.ts";

const LINES_PER_TURN = 1_000;
const MOST_TIMES = 2;

const benchmark: Benchmark = { title: "A session of 1,000 turns and a million events against one of ten turns", run };
export default benchmark;

async function run(): Promise<Row[]> {
  const root = mkdtempSync(join(tmpdir(), "narratoria-bench-"));
  try {
    const long = await tellStory(join(root, "long.db"), 1_000);
    const short = await tellStory(join(root, "short.db"), 10);
    const rounds = { rounds: 21, warmUps: 3 };
    const opening = await compareInterleaved(
      () => openTimed(long),
      () => openTimed(short),
      rounds,
    );
    const hosts = [open(long.file), open(short.file)] as const;
    const telling = await compareInterleaved(
      () => tellTimed(hosts[0], long),
      () => tellTimed(hosts[1], short),
      rounds,
    );
    for (const host of hosts) await host.sessions.close();
    return [
      { name: "opening the store and the session", ...opening, unit: "ms", target: within(opening) },
      { name: "telling one more turn", ...telling, unit: "ms", target: within(telling) },
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface Told {
  file: string;
  sessionId: string;
}

function open(file: string): ScriptedHost {
  return createScriptedHost({
    file,
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length > 0 ? end("You count on.", { memory: { at: prompt } }) : planOf("counter"),
    tools: {
      counter: ({ state }) => ({
        events: [
          ...Array.from({ length: LINES_PER_TURN }, (_, n) => logLine(`stone ${n}`, { progress: n / LINES_PER_TURN })),
          patch({
            total: Number(state?.["total"] ?? 0) + 1,
            [`room${Number(state?.["total"] ?? 0) % 50}`]: { seen: true },
          }),
        ],
      }),
    },
  });
}

async function tellStory(file: string, turns: number): Promise<Told> {
  const host = open(file);
  const sessionId = await host.begin();
  for (let turn = 1; turn < turns; turn++) await host.play(sessionId, `count ${turn}`);
  await host.sessions.close();
  return { file, sessionId };
}

async function openTimed({ file, sessionId }: Told): Promise<number> {
  const began = performance.now();
  const host = open(file);
  const view = await host.sessions.view(sessionId);
  const elapsed = performance.now() - began;
  if (!("turns" in view)) throw new Error(view.message);
  await host.sessions.close();
  return elapsed;
}

async function tellTimed(host: ScriptedHost, { sessionId }: Told): Promise<number> {
  const began = performance.now();
  await host.play(sessionId, "count on");
  return performance.now() - began;
}

function within({ measured, baseline }: { measured: number; baseline: number }): NonNullable<Row["target"]> {
  return { met: measured <= baseline * MOST_TIMES, text: `at most ${MOST_TIMES}x` };
}
