/** The picture, sound or film itself, shown safely: what does not decode, or is too large to, is given up in words. */
import { type SyntheticEvent, useRef, useState } from "react";
import type { AssetView } from "../../../src/story/session-view.ts";
import { assetPath } from "../api.ts";
import { dropUnseen } from "../name.tsx";
import { useSignedAddress } from "../signed-address.ts";
import { plainName } from "../words.ts";

export type Family = "image" | "audio" | "video" | "other";

/** Four bytes each when decoded: more would take hundreds of megabytes from every tab that shows it. */
const MOST_PIXELS = 50_000_000;

export function familyOf({ id, mediaType }: AssetView): Family {
  const family = mediaType.split("/")[0]?.toLowerCase();
  return id !== null && (family === "image" || family === "audio" || family === "video") ? family : "other";
}

/** Null, or why it cannot be shown. */
export function reasonNotToShow({ width = 0, height = 0, mediaType }: AssetView): string | null {
  if (mediaType === "image/svg+xml" || width * height <= MOST_PIXELS) return null;
  return `With ${width.toLocaleString("en")} × ${height.toLocaleString("en")} pixels it is too large to show here.`;
}

interface AssetMediaProps {
  asset: AssetView & { id: string };
  /** Called with why it cannot be shown. */
  giveUp: (reason: string) => void;
}

export function AssetMedia({ asset, giveUp }: AssetMediaProps) {
  // Loaded is not decoded: the size is known before a single pixel is, and decides whether any will be.
  const [isSafe, setSafe] = useState(asset.width !== undefined || asset.mediaType === "image/svg+xml");
  const { address, renew } = useSignedAddress(assetPath(asset.id));
  const words = wordsFor(asset);
  /** An address that has ended, or that a host gave which was since restarted, is no fault of what it led to. */
  const broken = async (): Promise<void> => {
    if (!(await renew())) giveUp("This browser cannot show it: it may be damaged, or of a kind it does not know.");
  };
  const playing = usePlace(broken);
  const source = address === null ? {} : { src: address };
  switch (familyOf(asset)) {
    case "image":
      return (
        <img
          {...source}
          alt={words}
          {...sizeOf(asset)}
          decoding="async"
          className={isSafe ? "" : "unchecked"}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => {
            const reason = reasonNotToShow({ ...asset, width, height });
            if (reason === null) setSafe(true);
            else giveUp(reason);
          }}
          onError={() => void broken()}
        />
      );
    case "audio":
      return <audio {...source} controls preload="metadata" aria-label={words} {...playing} />;
    case "video":
      return <video {...source} controls preload="metadata" aria-label={words} {...playing} />;
    case "other":
      return null;
  }
}

/** What plays goes on where it was when it gets another address. */
function usePlace(broken: () => Promise<void>) {
  const place = useRef<{ seconds: number; wasPlaying: boolean } | null>(null);
  return {
    onError: ({ currentTarget: { currentTime, paused } }: SyntheticEvent<HTMLMediaElement>): void => {
      place.current ??= { seconds: currentTime, wasPlaying: !paused };
      void broken();
    },
    onLoadedMetadata: ({ currentTarget: player }: SyntheticEvent<HTMLMediaElement>): void => {
      if (place.current === null) return;
      const { seconds, wasPlaying } = place.current;
      place.current = null;
      player.currentTime = seconds;
      if (wasPlaying) void player.play().catch(() => undefined);
    },
  };
}

/** What it is called, for those who cannot see it and for headings. */
export function wordsFor(asset: AssetView): string {
  const given = textOf(asset, "alt") ?? textOf(asset, "title") ?? plainName(asset.assetId);
  return dropUnseen(given) || "unnamed";
}

export function textOf(asset: AssetView, key: string): string | null {
  const value = asset.metadata?.[key];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Known beforehand, the picture's place does not jump when it arrives. */
function sizeOf({ width, height, metadata }: AssetView): { width?: number; height?: number } {
  if (width !== undefined && height !== undefined) return { width, height };
  const { width: told, height: toldHeight } = metadata ?? {};
  const isTold = typeof told === "number" && typeof toldHeight === "number" && told > 0 && toldHeight > 0;
  return isTold ? { width: told, height: toldHeight } : {};
}
