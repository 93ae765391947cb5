/** Everything tools made on the way here, newest first, by kind; each opens beside the others and leads to its turn. */
import "./assets.css";
import { useMemo, useState } from "react";
import type { SessionView } from "../../../src/story/session-view.ts";
import { EmptyState } from "../frame/empty-state.tsx";
import { navigate, useRoute } from "../route.ts";
import { Segments } from "../segments.tsx";
import { AssetDetail } from "./asset-detail.tsx";
import { type Family, familyOf } from "./asset-media.tsx";
import { AssetTile } from "./asset-tile.tsx";
import { assetsOf, keyOf, type MadeAsset } from "./made-assets.ts";
import { useEarlierAssets } from "./earlier-assets.ts";

const LABELS: { [kind in "all" | Family]: string } = {
  all: "All",
  image: "Pictures",
  audio: "Sounds",
  video: "Films",
  other: "Other",
};

export function AssetsPage({ view }: { view: SessionView }) {
  const route = useRoute();
  const [kind, setKind] = useState<"all" | Family>("all");
  const earlier = useEarlierAssets(view);
  const made = useMemo(
    () => [...view.turns.flatMap(assetsOf).toReversed(), ...earlier.found],
    [view.turns, earlier.found],
  );
  const item = route.kind === "session" ? route.item : undefined;
  const open = made.find((each) => keyOf(each) === item);
  const { sessionId } = view;

  if (made.length === 0 && earlier.left === 0) {
    const text = "Pictures, sounds and films that tools make for the story are kept here.";
    return <EmptyState icon="photo_library" title="No assets yet" text={text} />;
  }
  const shown = made.filter(({ asset }) => kind === "all" || familyOf(asset) === kind);
  return (
    <div className={open === undefined ? "place assets-page" : "place assets-page with-detail"}>
      <div className="assets-list" tabIndex={0} role="group" aria-label="What tools made">
        <Segments label="Kinds" options={optionsFor(made)} chosen={kind} choose={setKind} />
        {item !== undefined && open === undefined && <p className="quiet">That asset belongs to another path.</p>}
        <ul className="gallery" aria-label="Assets">
          {shown.map((each) => (
            <li key={keyOf(each)}>
              <AssetTile made={each} sessionId={sessionId} isOpen={each === open} />
            </li>
          ))}
        </ul>
        {shown.length === 0 && <p className="quiet">None of this kind.</p>}
        {earlier.left > 0 && (
          <button type="button" className="text-button" disabled={earlier.isLooking} onClick={earlier.look}>
            {earlier.isLooking ? "Looking…" : `Look through ${earlier.left} earlier turns`}
          </button>
        )}
      </div>
      {open !== undefined && (
        <AssetDetail
          key={keyOf(open)}
          made={open}
          sessionId={sessionId}
          close={() => navigate({ kind: "session", sessionId, place: "assets" })}
        />
      )}
    </div>
  );
}

/** Only kinds that there are. */
function optionsFor(made: MadeAsset[]): { value: "all" | Family; label: string }[] {
  const families = (["image", "audio", "video", "other"] as const).flatMap((family) => {
    const count = made.filter(({ asset }) => familyOf(asset) === family).length;
    return count === 0 ? [] : [{ value: family, label: `${LABELS[family]} ${count}` }];
  });
  return [{ value: "all", label: `${LABELS.all} ${made.length}` }, ...families];
}
