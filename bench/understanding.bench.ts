/**
 * How long it takes to understand a prompt: against 200 choices with six aliases each, when it is read for the first time;
 * and with the model, where the add-on is in the data folder, for a scene of ten choices after it is loaded.
 */
import { randomUUID } from "node:crypto";
import { dataFolder } from "../packages/narratoria/src/data.ts";
import { createSuggester } from "../packages/narratoria/src/narrators/suggester.ts";
import { makeLexicon } from "../packages/narratoria/src/narrators/understanding/lexicon.ts";
import {
  gatherCandidates,
  hear,
  matchPrompt,
  matchSaid,
  NO_SIGHT,
} from "../packages/narratoria/src/narrators/understanding/match.ts";
import { nearTargets } from "../packages/narratoria/src/narrators/understanding/nearness.ts";
import { loaderOf } from "../packages/narratoria/src/stores/add-ons.ts";
import { compareInterleaved, type Benchmark, type Row } from "./compare.ts";

const MOST_MS = 5;
const MOST_MODEL_MS = 300;
const VERBS = ["take", "open", "examine", "light", "push", "read", "turn"];

const benchmark: Benchmark = { title: "Understanding a prompt: milliseconds", run };
export default benchmark;

async function run(): Promise<Row[]> {
  const lexicon = makeLexicon({});
  const targets = Array.from({ length: 200 }, (_, index) => {
    const [label = "", ...aliases] = VERBS.map((verb) => `${verb} the thing${index} of brass`);
    return { label, aliases };
  });
  matchPrompt("warm up", targets, lexicon);
  const timed = (prompt: () => string) => async (): Promise<number> => {
    const began = performance.now();
    const candidates = gatherCandidates(targets, lexicon, NO_SIGHT);
    const heard = hear(prompt(), candidates);
    const match = matchSaid("", heard, candidates);
    if (match.kind === "none") nearTargets(heard, candidates);
    return performance.now() - began;
  };
  const understood = await compareInterleaved(
    timed(() => `please juggle the brass thnig${randomUUID().slice(0, 4)} with the lamp`),
    timed(() => "take thing7"),
    { rounds: 50, warmUps: 10 },
  );
  const met = understood.measured < MOST_MS;
  const rows: Row[] = [
    {
      name: "not understood, against understood",
      ...understood,
      unit: "ms",
      target: { met, text: `under ${MOST_MS} ms` },
    },
  ];
  const loader = loaderOf("embeddings", dataFolder(undefined));
  if (loader === null) return rows;
  const suggester = createSuggester(() => loader);
  const choices = (from: number): { id: string; label: string }[] =>
    targets.slice(from, from + 10).map(({ label }, index) => ({ id: String(index), label }));
  let scene = 0;
  const asked = async (labels: { id: string; label: string }[]): Promise<number> => {
    const began = performance.now();
    await suggester.suggest({ prompt: `make up a story ${randomUUID()}`, choices: labels });
    return performance.now() - began;
  };
  const meant = await compareInterleaved(
    () => asked(choices((scene += 10))),
    () => asked(choices(0)),
    { rounds: 10, warmUps: 2 },
  );
  suggester.close();
  const target = { met: meant.measured < MOST_MODEL_MS, text: `under ${MOST_MODEL_MS} ms` };
  return [...rows, { name: "by meaning: a new scene, against a known one", ...meant, unit: "ms", target }];
}
