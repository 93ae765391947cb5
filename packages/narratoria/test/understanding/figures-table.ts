/** The corpus figures as a Markdown table, a line for each story. */
import type { CorpusStory } from "./read-corpus.ts";
import { figuresOf, type Figures, type Scored } from "./score-corpus.ts";

const HEAD = [
  "| story | sentences | wrong deeds | should work | done | done or asked | should be refused | asked in vain |",
  "| --- | --- | --- | --- | --- | --- | --- | --- |",
];

export function tableOf(scored: ReadonlyMap<CorpusStory, readonly Scored[]>): string {
  const lines = [...scored].map(([story, of]) => lineOf(story, figuresOf(of)));
  return [...HEAD, ...lines, lineOf("all", figuresOf([...scored.values()].flat()))].join("\n");
}

function lineOf(name: string, figures: Figures): string {
  const { sentences, wrongDeeds, shouldWork, done, doneOrAsked, shouldRefuse, askedInVain } = figures;
  const share = (part: number, whole: number): string => `${part} (${Math.round((100 * part) / whole)} %)`;
  const cells = [
    ...[name, sentences, wrongDeeds, shouldWork, share(done, shouldWork), share(doneOrAsked, shouldWork)],
    ...[shouldRefuse, share(askedInVain, shouldRefuse)],
  ];
  return `| ${cells.join(" | ")} |`;
}
