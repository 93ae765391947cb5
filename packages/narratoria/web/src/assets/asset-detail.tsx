/** One asset, large, with everything known about it and the way back to the turn that made it. */
import { useEffect, useRef, useState } from "react";
import { assetPath } from "../api.ts";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";
import { RouteLink } from "../route-link.tsx";
import { SignedLink } from "../signed-link.tsx";
import { shorten } from "../words.ts";
import { AssetFacts } from "./asset-facts.tsx";
import { AssetMedia, familyOf, reasonNotToShow, wordsFor } from "./asset-media.tsx";
import type { MadeAsset } from "./made-assets.ts";

interface AssetDetailProps {
  made: MadeAsset;
  sessionId: string;
  close: () => void;
}

export function AssetDetail({ made, sessionId, close }: AssetDetailProps) {
  const { asset, turn, skill } = made;
  const [reason, setReason] = useState(() => reasonNotToShow(asset));
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  const { id } = asset;
  const isShown = id !== null && familyOf(asset) !== "other" && reason === null;
  const words = reason ?? asset.reason;
  return (
    <section className="asset-detail card" aria-label={wordsFor(asset)} tabIndex={-1} ref={panel}>
      <header>
        <h2>
          <Name text={wordsFor(asset)} />
        </h2>
        <button type="button" className="text-button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {isShown && (
        <div className={`asset-large ${familyOf(asset)}`}>
          <AssetMedia asset={{ ...asset, id }} giveUp={setReason} />
        </div>
      )}
      {words !== undefined && <p className="asset-reason">{words}</p>}
      <p>
        From{" "}
        <RouteLink to={{ kind: "session", sessionId, place: "narrative", item: turn.turnId }}>
          {turn.number === 0 ? "the opening scene" : `turn ${turn.number}`}
        </RouteLink>
        {turn.prompt !== null && (
          <>
            : <q>{<Name text={shorten(turn.prompt, 120)} />}</q>
          </>
        )}
      </p>
      <AssetFacts asset={asset} skill={skill} />
      {id !== null && (
        <SignedLink className="asset-download" path={assetPath(id)} name={asset.assetId}>
          Download
        </SignedLink>
      )}
    </section>
  );
}
