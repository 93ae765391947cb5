/** Assets of turns so long ago that the view does not hold them: looked for when the player asks. */
import { useState } from "react";
import type { SessionView } from "../../../src/story/session-view.ts";
import { api } from "../api.ts";
import { assetsOf, type MadeAsset } from "./made-assets.ts";

interface EarlierAssets {
  found: MadeAsset[];
  /** How many turns were not looked at yet. */
  left: number;
  isLooking: boolean;
  look: () => void;
}

const AT_ONCE = 8;

export function useEarlierAssets(view: SessionView): EarlierAssets {
  const [found, setFound] = useState<MadeAsset[]>([]);
  const [isLooking, setLooking] = useState(false);
  const [hasLooked, setLooked] = useState(false);
  const unloaded = view.turnCount - view.turns.length;
  const look = async (): Promise<void> => {
    setLooking(true);
    const tree = await api.tree(view.sessionId);
    const loaded = new Set(view.turns.map(({ turnId }) => turnId));
    const nodes = tree.kind === "ok" ? tree.value : [];
    const ids = nodes.filter((node) => node.isOnHeadPath && !loaded.has(node.turnId)).map(({ turnId }) => turnId);
    for (let end = ids.length; end > 0; end -= AT_ONCE) {
      const answers = await Promise.all(
        ids.slice(Math.max(0, end - AT_ONCE), end).map((turnId) => api.turn(view.sessionId, turnId)),
      );
      const made = answers.flatMap((answer) => (answer.kind === "ok" ? assetsOf(answer.value.turn) : []));
      setFound((before) => [...before, ...made.toReversed()]);
    }
    setLooking(false);
    setLooked(tree.kind === "ok");
  };
  return { found, left: hasLooked ? 0 : Math.max(0, unloaded), isLooking, look: () => void look() };
}
