/** The assets of a turn, with what made them. */
import type { AssetView, TurnView } from "../../../src/story/session-view.ts";

export interface MadeAsset {
  asset: AssetView;
  turn: TurnView;
  skill: string;
  /** Its place among the turn's assets. */
  index: number;
}

export function assetsOf(turn: TurnView): MadeAsset[] {
  const assets = turn.passages.flatMap((passage) => (passage.kind === "asset" ? [passage.asset] : []));
  return assets.map((asset, index) => {
    const skill = turn.tools.findLast(({ toolId }) => toolId === asset.toolId)?.skill ?? asset.toolId;
    return { asset, turn, skill, index };
  });
}

/** What the address names it by; what was refused has no address of its own. */
export function keyOf({ asset, turn, index }: MadeAsset): string {
  return asset.id ?? `${turn.turnId}.${index}`;
}
