/** Everything known about an asset, as a list of facts; tools choose most of the words in it. */
import type { AssetView } from "../../../src/story/session-view.ts";
import { Name } from "../name.tsx";
import { shorten, wordsForBytes, wordsForDuration } from "../words.ts";

/** A tool may attach any number. */
const MOST_METADATA = 100;
const LONGEST_VALUE = 500;

export function AssetFacts({ asset, skill }: { asset: AssetView; skill: string }) {
  const { width, height, durationMs, sha256, metadata = {} } = asset;
  const facts: [name: string, value: string][] = [
    ["Made by", skill],
    ["Name", asset.assetId],
    ["Kind", asset.kind],
    ["Type", asset.mediaType],
    ["Size", wordsForBytes(asset.bytes)],
    ["Pixels", width !== undefined && height !== undefined ? `${width} × ${height}` : ""],
    ["Length", durationMs === undefined ? "" : wordsForDuration(durationMs)],
    ["SHA-256", sha256 ?? ""],
  ];
  const isSaid = (name: string): boolean => (name === "width" || name === "height") && metadata[name] === asset[name];
  const told = Object.entries(metadata)
    .filter(([name]) => !isSaid(name))
    .slice(0, MOST_METADATA);
  return (
    <dl className="asset-facts">
      {facts.map(([name, value]) => value !== "" && <Fact key={name} name={name} value={value} />)}
      {told.map(([name, value]) => (
        <Fact key={`told ${name}`} name={name} value={typeof value === "string" ? value : JSON.stringify(value)} />
      ))}
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>
        <Name text={shorten(name, 80)} />
      </dt>
      <dd>
        <Name text={shorten(value, LONGEST_VALUE)} />
      </dd>
    </div>
  );
}
