/** Everything tools made on the way here, newest first; each leads back to its turn. */
import "./assets.css";
import type { AssetView, SessionView, TurnView } from "../../../src/story/session-view.ts";
import { EmptyState } from "../frame/empty-state.tsx";
import { AssetFigure } from "./asset-figure.tsx";
import { shorten } from "../words.ts";

export function AssetsPage({ view }: { view: SessionView }) {
  const made = view.turns.flatMap(assetsOf).toReversed();
  if (made.length === 0) {
    const text = "Pictures, sounds and films that tools make for the story are kept here.";
    return <EmptyState icon="photo_library" title="No assets yet" text={text} />;
  }
  return (
    <div className="place" tabIndex={0} role="group" aria-label="What tools made">
      <ul className="column gallery" aria-label="Assets">
        {made.map(({ asset, turn, skill }, index) => (
          <li key={`${turn.turnId} ${asset.toolId} ${asset.assetId} ${index}`}>
            <AssetFigure asset={asset} skill={skill} />
            <p className="quiet">
              Turn {turn.number}
              {turn.prompt !== null && `: ${shorten(turn.prompt, 60)}`}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

function assetsOf(turn: TurnView): { asset: AssetView; turn: TurnView; skill: string }[] {
  return turn.passages.flatMap((passage) => {
    if (passage.kind !== "asset") return [];
    const { asset } = passage;
    const skill = turn.tools.findLast(({ toolId }) => toolId === asset.toolId)?.skill ?? asset.toolId;
    return [{ asset, turn, skill }];
  });
}
