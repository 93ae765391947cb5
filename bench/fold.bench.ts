/**
 * What a patch costs in a turn that has very many: a turn of 32,000 patches against eight of 4,000, through the real log,
 * with somebody who has looked at the session, so that its view is kept too.
 */
import { createScriptedHost, end, patch, planOf } from "../packages/narratoria/test/scripted-host.ts";
import { best, compareInterleaved, type Benchmark, type Row } from "./compare.ts";

const MANY = 32_000;
const FEW = 4_000;
const MOST_TIMES = 1.3;

const benchmark: Benchmark = { title: `A turn of ${MANY} patches against one of ${FEW}`, run };
export default benchmark;

async function run(): Promise<Row[]> {
  const rounds = { rounds: 5, warmUps: 1, take: best };
  const folded = await compareInterleaved(
    () => microsecondsPerPatch(MANY),
    () => microsecondsPerPatch(FEW),
    rounds,
  );
  const met = folded.measured <= folded.baseline * MOST_TIMES;
  return [
    { name: "one patch, told and shown", ...folded, unit: "us", target: { met, text: `at most ${MOST_TIMES}x` } },
  ];
}

/** As many patches in all, whatever the turns' length, so that both see the same heap. */
async function microsecondsPerPatch(patches: number): Promise<number> {
  const host = createScriptedHost({
    narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end("Counted.") : planOf("counter")),
    tools: { counter: () => ({ events: Array.from({ length: patches }, (_, n) => patch({ total: n })) }) },
  });
  const sessionId = await host.begin();
  await host.sessions.view(sessionId);
  const began = performance.now();
  for (let told = 0; told < MANY; told += patches) {
    await host.play(sessionId, "count");
    await host.sessions.view(sessionId);
  }
  const elapsed = performance.now() - began;
  await host.sessions.close();
  return (elapsed * 1_000) / MANY;
}
