/** An asset where the story shows it: picture, sound, film, or a card with every detail for anything else. */
import "./assets.css";
import { useState } from "react";
import type { AssetView } from "../../../src/story/session-view.ts";
import { assetAddress } from "../api.ts";
import { Icon } from "../icon.tsx";
import { plainName, wordsForBytes } from "../words.ts";

export function AssetFigure({ asset, skill }: { asset: AssetView; skill: string }) {
  const [isBroken, setBroken] = useState(false);
  const family = asset.mediaType.split("/")[0];
  const isShown = asset.id !== null && !isBroken && ["image", "audio", "video"].includes(family ?? "");
  if (!isShown || asset.id === null) return <AssetDetails asset={asset} skill={skill} isBroken={isBroken} />;
  const address = assetAddress(asset.id);
  const words = textOf(asset, "alt") ?? textOf(asset, "title") ?? plainName(asset.assetId);
  const broken = (): void => setBroken(true);
  return (
    <figure className={`asset ${family}`}>
      {family === "image" && <img src={address} alt={words} {...sizeOf(asset)} onError={broken} />}
      {family === "audio" && <audio src={address} controls preload="metadata" aria-label={words} onError={broken} />}
      {family === "video" && <video src={address} controls preload="metadata" aria-label={words} onError={broken} />}
      <figcaption>
        {textOf(asset, "caption") ?? plainName(asset.assetId)}, made by {plainName(skill)}
      </figcaption>
    </figure>
  );
}

function AssetDetails({ asset, skill, isBroken }: { asset: AssetView; skill: string; isBroken: boolean }) {
  const reason = isBroken ? "This browser cannot show it." : asset.reason;
  const facts = [
    ["Made by", skill],
    ["Kind", asset.kind],
    ["Type", asset.mediaType],
    ["Size", wordsForBytes(asset.bytes)],
    ...Object.entries(asset.metadata ?? {}).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  ].filter(([, value]) => value !== "" && value !== undefined);
  return (
    <div className="card placeholder">
      <Icon name="draft" />
      <div>
        <h3>{asset.assetId}</h3>
        {reason !== undefined && <p>{reason}</p>}
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {asset.id !== null && (
          <a href={assetAddress(asset.id)} download={asset.assetId}>
            Download
          </a>
        )}
      </div>
    </div>
  );
}

function textOf(asset: AssetView, key: string): string | null {
  const value = asset.metadata?.[key];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Known beforehand, the picture's place does not jump when it arrives. */
function sizeOf({ metadata }: AssetView): { width?: number; height?: number } {
  const { width, height } = metadata ?? {};
  return typeof width === "number" && typeof height === "number" && width > 0 && height > 0 ? { width, height } : {};
}
