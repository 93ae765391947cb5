/** What a turn tells, in order. An asset that the text names stands there; the others follow where they came. */
import type { AssetView, Passage, TurnView } from "../../../src/story/session-view.ts";
import { AssetFigure } from "../assets/asset-figure.tsx";
import { Icon } from "../icon.tsx";
import { Notice } from "../notice.tsx";
import { titleName } from "../words.ts";
import { Consequences } from "./consequences.tsx";
import { Prose } from "./prose.tsx";

export function Passages({ turn }: { turn: TurnView }) {
  const assets = turn.passages.flatMap((passage) => (passage.kind === "asset" ? [passage.asset] : []));
  const named = namedInText(turn.passages, assets);
  const shown = turn.passages.filter((passage) => passage.kind !== "asset" || !named.has(passage.asset));
  return shown.map((passage, index) => (
    // Passages are only ever added at the end.
    <PassageView key={index} passage={passage} turn={turn} assets={assets} />
  ));
}

interface PassageViewProps {
  passage: Passage;
  turn: TurnView;
  assets: AssetView[];
}

function PassageView({ passage, turn, assets }: PassageViewProps) {
  const skillOf = (toolId: string): string => turn.tools.findLast((tool) => tool.toolId === toolId)?.skill ?? toolId;
  switch (passage.kind) {
    case "text":
      return <Prose text={passage.text} assets={assets} />;
    case "changes":
      return <Consequences changes={passage.changes} />;
    case "asset":
      return <AssetFigure asset={passage.asset} skill={skillOf(passage.asset.toolId)} />;
    case "placeholder":
      return (
        <div className="card placeholder">
          <Icon name="help" />
          <div>
            <h3>
              {titleName(skillOf(passage.toolId))} sent “{passage.event}”
            </h3>
            <p>This version of Narratoria does not know what to show for it.</p>
            <pre>{JSON.stringify(passage.payload, null, 2)}</pre>
          </div>
        </div>
      );
    case "problem": {
      const message = `${titleName(skillOf(passage.toolId))}: ${passage.message}`;
      return <Notice message={message} details={passage.code} />;
    }
  }
}

function namedInText(passages: Passage[], assets: AssetView[]): Set<AssetView> {
  const text = passages.flatMap((passage) => (passage.kind === "text" ? [passage.text] : [])).join("\n");
  return new Set(assets.filter(({ assetId }) => text.includes(`asset:${assetId}`)));
}
