/** Measures two ways of doing a thing in one run, turn by turn, so that a busy machine slows both alike. */

export interface Benchmark {
  title: string;
  run(): Promise<Row[]>;
}

export interface Row {
  name: string;
  measured: number;
  baseline: number;
  unit: string;
  target?: { met: boolean; text: string };
}

export interface Compared {
  measured: number;
  baseline: number;
}

/** Medians (or what `take` says) of what both return, which is up to them: mostly milliseconds. */
export async function compareInterleaved(
  measure: () => Promise<number>,
  baseline: () => Promise<number>,
  {
    rounds,
    warmUps,
    take = median,
  }: { rounds: number; warmUps: number; take?: (numbers: readonly number[]) => number },
): Promise<Compared> {
  const measured: number[] = [];
  const based: number[] = [];
  for (let round = -warmUps; round < rounds; round++) {
    // Who comes second may find the caches warm: they take turns.
    const order: [() => Promise<number>, number[]][] = [
      [measure, measured],
      [baseline, based],
    ];
    for (const [run, numbers] of round % 2 === 0 ? order : order.toReversed()) {
      const number = await run();
      if (round >= 0) numbers.push(number);
    }
  }
  return { measured: take(measured), baseline: take(based) };
}

export function best(numbers: readonly number[]): number {
  return Math.min(...numbers);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] =
    sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1, middle + 1);
  return (low + high) / 2;
}
