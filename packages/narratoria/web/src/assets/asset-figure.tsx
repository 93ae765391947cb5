/** An asset where the story shows it: picture, sound, film, or a card with every detail for anything else. */
import "./assets.css";
import { useState } from "react";
import type { AssetView } from "../../../src/story/session-view.ts";
import { Name } from "../name.tsx";
import { type PageRoute, useRoute } from "../route.ts";
import { RouteLink } from "../route-link.tsx";
import { plainName } from "../words.ts";
import { AssetCard } from "./asset-card.tsx";
import { AssetMedia, familyOf, reasonNotToShow, textOf } from "./asset-media.tsx";

export function AssetFigure({ asset, skill }: { asset: AssetView; skill: string }) {
  const here = useRoute();
  const [reason, setReason] = useState(() => reasonNotToShow(asset));
  const family = familyOf(asset);
  const { id } = asset;
  if (id === null || family === "other" || reason !== null)
    return <AssetCard asset={asset} skill={skill} reason={reason} />;
  const gallery: PageRoute =
    here.kind === "session" ? { kind: "session", sessionId: here.sessionId, place: "assets", item: id } : here;
  const media = <AssetMedia asset={{ ...asset, id }} giveUp={setReason} />;
  const caption = textOf(asset, "caption") ?? plainName(asset.assetId);
  return (
    <figure className={`asset ${family}`}>
      {family === "image" ? <RouteLink to={gallery}>{media}</RouteLink> : media}
      <figcaption>
        <Name text={caption} />, made by <Name text={plainName(skill)} />
        {family !== "image" && <RouteLink to={gallery}>Details</RouteLink>}
      </figcaption>
    </figure>
  );
}
