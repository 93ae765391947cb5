/**
 * What a mutation run is worth: the share of mutants that the tests killed, the survivors, and whether each explanation
 * in `mutants-explained.json` still has a survivor to explain. Pure; `mutate.ts` makes the mutants and prints.
 */
export interface Mutant {
  file: string;
  lineNumber: number;
  /** The whole line on which the change begins, as it was. */
  line: string;
  change: string;
  fate: "killed" | "timeout" | "survived" | "no coverage";
}

/** Why nothing observable differs with a mutant. Line numbers move, so it is found by the text of its line. */
export interface Explanation {
  file: string;
  line: string;
  change: string;
  reason: string;
}

type Counts = Record<Mutant["fate"] | "explained", number>;

export interface Score {
  files: [file: string, counts: Counts][];
  total: Counts;
  survivors: Mutant[];
  /** A busy machine is slow too: whether these wait for ever, somebody has to look. */
  timeouts: Mutant[];
  stale: Explanation[];
  passed: boolean;
  sampled: boolean;
}

const TARGET_PERCENT = 80;
const LONGEST_CODE = 70;

interface Run {
  explanations: Explanation[];
  /** The files whose mutants were tested, and all that a run without limits would take. */
  files: string[];
  all: string[];
  /** Not every mutant of the files was tried. */
  sampled: boolean;
}

export function scoreMutants(mutants: Mutant[], { explanations, files, all, sampled }: Run): Score {
  const used = new Set<Explanation>();
  const survivors: Mutant[] = [];
  const counts = new Map(files.map((file) => [file, noMutants()]));
  for (const mutant of mutants) {
    const alive = mutant.fate === "survived" || mutant.fate === "no coverage";
    const explanation = alive ? explanations.find((candidate) => explains(candidate, mutant)) : undefined;
    if (explanation) used.add(explanation);
    else if (alive) survivors.push(mutant);
    const ofFile = counts.get(mutant.file) ?? noMutants();
    ofFile[explanation ? "explained" : mutant.fate]++;
    counts.set(mutant.file, ofFile);
  }
  const total = [...counts.values()].reduce(add, noMutants());
  const stale = explanations
    .filter(({ file }) => (files.includes(file) && !sampled) || !all.includes(file))
    .filter((e) => !used.has(e));
  return {
    files: [...counts],
    total,
    survivors,
    timeouts: mutants.filter(({ fate }) => fate === "timeout"),
    stale,
    passed: stale.length === 0 && percent(total) >= TARGET_PERCENT,
    sampled,
  };
}

export function formatScore({ files, total, survivors, timeouts, stale, passed, sampled }: Score): string {
  const unneeded = stale.map(({ file, line, change }) => `${file}: ${change}, on the line: ${line}`);
  return [
    ...section("Survivors", survivors.toSorted(byPlace).map(formatMutant)),
    ...section("Killed by the clock only", timeouts.toSorted(byPlace).map(formatMutant)),
    ...section("Explanations that explain no survivor any more", unneeded),
    formatTable([...files.toSorted(([one], [other]) => (one < other ? -1 : 1)), ["all", total]]),
    "",
    `${percent(total).toFixed(1)} % killed${sampled ? likelyRange(total) : ""}, ${TARGET_PERCENT} % wanted: ${passed ? "ok" : "failed"}`,
  ].join("\n");
}

/** Of all mutants, given those of a sample: Wilson's interval, right in 95 of 100 samples. */
function likelyRange(counts: Counts): string {
  const z = 1.96;
  const { all, share } = shareKilled(counts);
  if (all === 0) return "";
  const middle = share + z ** 2 / (2 * all);
  const half = z * Math.sqrt((share * (1 - share)) / all + z ** 2 / (4 * all ** 2));
  const [low, high] = [middle - half, middle + half].map((end) => ((100 * end) / (1 + z ** 2 / all)).toFixed(1));
  return ` in a sample of ${all} (${low} to ${high} % of all)`;
}

function formatMutant({ file, lineNumber, change, fate }: Mutant): string {
  return `${file}:${lineNumber}: ${change}${fate === "no coverage" ? " (no test reaches it)" : ""}`;
}

/** A change on one line, short enough to read: `a < b -> a <= b`. */
export function printedChange(original: string, replacement: string): string {
  return `${oneLine(original)} -> ${oneLine(replacement)}`;
}

function oneLine(code: string): string {
  const line = code.replaceAll(/\s+/g, " ").trim();
  if (line.length <= LONGEST_CODE) return line;
  return `${line.slice(0, LONGEST_CODE / 2)}...${line.slice(-LONGEST_CODE / 2)}`;
}

function byPlace(one: Mutant, other: Mutant): number {
  return one.file.localeCompare(other.file) || one.lineNumber - other.lineNumber;
}

function explains({ file, line, change }: Explanation, mutant: Mutant): boolean {
  return file === mutant.file && line === mutant.line && change === mutant.change;
}

function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [`${title} (${lines.length}):`, ...lines, ""];
}

function formatTable(rows: [name: string, counts: Counts][]): string {
  const heading = ["file", "killed", "timeout", "survived", "no coverage", "explained", "     %"];
  const cells = rows.map(([name, counts]) => {
    const { killed, timeout, survived, explained, "no coverage": unreached } = counts;
    return [name, killed, timeout, survived, unreached, explained, percent(counts).toFixed(1)].map(String);
  });
  const width = Math.max(...rows.map(([name]) => name.length));
  const format = ([name = "", ...numbers]: string[]): string => {
    return (
      name.padEnd(width) +
      numbers.map((number, index) => number.padStart((heading[index + 1] ?? "").length + 3)).join("")
    );
  };
  return [heading, ...cells].map(format).join("\n");
}

/** A mutant that cannot be told apart from the original says nothing about the tests, so it is in neither number. */
function shareKilled({ killed, timeout, survived, "no coverage": unreached }: Counts): { all: number; share: number } {
  const all = killed + timeout + survived + unreached;
  return { all, share: all === 0 ? 1 : (killed + timeout) / all };
}

function percent(counts: Counts): number {
  return 100 * shareKilled(counts).share;
}

function noMutants(): Counts {
  return { killed: 0, timeout: 0, survived: 0, "no coverage": 0, explained: 0 };
}

function add(one: Counts, other: Counts): Counts {
  return {
    killed: one.killed + other.killed,
    timeout: one.timeout + other.timeout,
    survived: one.survived + other.survived,
    "no coverage": one["no coverage"] + other["no coverage"],
    explained: one.explained + other.explained,
  };
}
