/** One asset in the gallery: a glance at it, its name, the turn it came from. */
import { useState } from "react";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";
import { RouteLink } from "../route-link.tsx";
import { shorten, wordsForBytes, wordsForDuration } from "../words.ts";
import { AssetMedia, familyOf, reasonNotToShow, wordsFor } from "./asset-media.tsx";
import { keyOf, type MadeAsset } from "./made-assets.ts";

const ICONS = { image: "image", audio: "music_note", video: "movie", other: "draft" };

export function AssetTile({ made, sessionId, isOpen }: { made: MadeAsset; sessionId: string; isOpen: boolean }) {
  const { asset, turn, skill } = made;
  const [reason, setReason] = useState(() => reasonNotToShow(asset));
  const family = familyOf(asset);
  const { id } = asset;
  const isPicture = id !== null && family === "image" && reason === null;
  return (
    <RouteLink
      className="asset-tile"
      aria-current={isOpen ? "true" : undefined}
      to={{ kind: "session", sessionId, place: "assets", item: keyOf(made) }}
    >
      <span className="asset-glance">
        {isPicture ? (
          <AssetMedia asset={{ ...asset, id }} giveUp={setReason} />
        ) : (
          <Icon name={asset.status === "refused" ? "block" : ICONS[family]} />
        )}
      </span>
      <span className="asset-name">
        <Name text={shorten(wordsFor(asset), 80)} />
      </span>
      <span className="quiet">
        Turn {turn.number} · <Name text={skill} />
        {wordsForSize(made) !== "" && ` · ${wordsForSize(made)}`}
      </span>
    </RouteLink>
  );
}

function wordsForSize({ asset }: MadeAsset): string {
  if (asset.status === "refused") return "refused";
  if (asset.durationMs !== undefined) return wordsForDuration(asset.durationMs);
  return asset.width !== undefined ? `${asset.width} × ${asset.height ?? 0}` : wordsForBytes(asset.bytes);
}
