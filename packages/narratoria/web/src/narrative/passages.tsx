/** What a turn tells, in order. An asset that the text names stands there; the others follow after the text. */
import type { AssetView, Passage, TurnView } from "../../../src/story/session-view.ts";
import { AssetFigure } from "../assets/asset-figure.tsx";
import { Icon } from "../icon.tsx";
import { Notice } from "../notice.tsx";
import { titleName } from "../words.ts";
import { Consequences } from "./consequences.tsx";
import { Prose } from "./prose.tsx";

export function Passages({ turn }: { turn: TurnView }) {
  const assets = turn.passages.flatMap((passage) => (passage.kind === "asset" ? [passage.asset] : []));
  const unnamed = assetsNotNamed(turn.passages, assets);
  return (
    <>
      {turn.passages.map((passage, index) => (
        // Passages are only ever added at the end.
        <PassageView key={index} passage={passage} turn={turn} assets={assets} />
      ))}
      {unnamed.map((asset, index) => (
        <AssetFigure key={index} asset={asset} skill={skillOf(turn, asset.toolId)} />
      ))}
    </>
  );
}

type Problem = Extract<Passage, { kind: "problem" }>;

interface PassageViewProps {
  passage: Passage;
  turn: TurnView;
  assets: AssetView[];
}

function PassageView({ passage, turn, assets }: PassageViewProps) {
  switch (passage.kind) {
    case "text":
      return <Prose text={passage.text} assets={assets} />;
    case "changes":
      return <Consequences changes={passage.changes} />;
    case "asset":
      return null;
    case "placeholder":
      return (
        <div className="card placeholder">
          <Icon name="help" />
          <div>
            <h3>
              {titleName(skillOf(turn, passage.toolId))} sent “{passage.event}”
            </h3>
            <p>This version of Narratoria does not know what to show for it.</p>
            <pre>{JSON.stringify(passage.payload, null, 2)}</pre>
          </div>
        </div>
      );
    case "problem": {
      const times = timesTold(turn.passages, passage);
      if (times === 0) return null;
      const message = `${titleName(skillOf(turn, passage.toolId))}: ${passage.message}`;
      return <Notice message={times > 1 ? `${message} (${times} times)` : message} details={passage.code} />;
    }
  }
}

function assetsNotNamed(passages: Passage[], assets: AssetView[]): AssetView[] {
  const text = passages.flatMap((passage) => (passage.kind === "text" ? [passage.text] : [])).join("\n");
  return assets.filter(({ assetId }) => !text.includes(`asset:${assetId}`));
}

/** A tool that is tried again complains again: told once, with how often. Zero where it was told before. */
function timesTold(passages: Passage[], problem: Problem): number {
  const same = passages.filter(
    (other) =>
      other.kind === "problem" &&
      other.toolId === problem.toolId &&
      other.code === problem.code &&
      other.message === problem.message,
  );
  return same[0] === problem ? same.length : 0;
}

function skillOf(turn: TurnView, toolId: string): string {
  return turn.tools.findLast((tool) => tool.toolId === toolId)?.skill ?? toolId;
}
