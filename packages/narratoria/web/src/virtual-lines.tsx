/** A long list of lines of one height, of which only those in sight are in the document. */
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type HTMLAttributes, type ReactNode, type RefObject, useEffect, useRef } from "react";
import { useMedia } from "./use-media.ts";

interface VirtualLinesProps extends Omit<HTMLAttributes<HTMLDivElement>, "children"> {
  count: number;
  /** One line; `place` puts it where it belongs. */
  line: (index: number, place: LinePlace) => ReactNode;
  /** Kept in the document even when out of sight. */
  keep?: number;
  lines?: RefObject<Lines | null>;
  isDense?: boolean;
}

export interface LinePlace {
  height: number;
  transform: string;
}

export type Lines = Pick<Virtualizer<HTMLDivElement, Element>, "scrollToIndex">;

export function VirtualLines({ count, line, keep = -1, lines, isDense = false, ...rest }: VirtualLinesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const isTouch = useMedia("(pointer: coarse)");
  const height = remInPixels() * (isDense ? 1.5 : isTouch ? 2.75 : 2.25);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    rangeExtractor: ({ startIndex, endIndex, overscan }) => {
      const [first, last] = [Math.max(0, startIndex - overscan), Math.min(count - 1, endIndex + overscan)];
      const range = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
      return keep < 0 || keep >= count || (keep >= first && keep <= last)
        ? range
        : [...range, keep].toSorted((a, b) => a - b);
    },
  });
  useEffect(() => {
    if (lines !== undefined) lines.current = virtual;
  }, [lines, virtual]);
  useEffect(() => virtual.measure(), [virtual, height]);
  return (
    <div ref={scroller} {...rest} className={`lines ${rest.className ?? ""}`}>
      <div className="lines-height" role="presentation" style={{ height: virtual.getTotalSize() }}>
        {virtual
          .getVirtualItems()
          .map(({ index, start }) => line(index, { height, transform: `translateY(${start}px)` }))}
      </div>
    </div>
  );
}

/** The player chooses the size of the text. */
function remInPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}
