/**
 * Keeps the newest turn in view while it grows: all of it where it fits, else from its beginning. A player who scrolls
 * elsewhere is left alone until the next turn.
 */
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import type { TurnView } from "../../../src/story/session-view.ts";

export function useNewestTurnInView(
  head: TurnView | undefined,
  askCount: number,
  underWay: string | null,
): RefObject<HTMLDivElement | null> {
  const scroller = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  /** Where we put it last: any other place is the player's. */
  const ownTop = useRef(-1);

  const show = useRef(() => {
    const element = scroller.current;
    if (element === null || !isFollowing.current) return;
    const newest = element.querySelector<HTMLElement>(".turn.head");
    const bottom = element.scrollHeight - element.clientHeight;
    const above = element.getBoundingClientRect().top;
    const start = newest === null ? bottom : newest.getBoundingClientRect().top - above + element.scrollTop;
    // One pixel more hides the line between the turns.
    element.scrollTop = Math.min(bottom, Math.max(0, start + 1));
    ownTop.current = element.scrollTop;
  });

  useLayoutEffect(() => {
    isFollowing.current = true;
    show.current();
  }, [head?.turnId, underWay, askCount]);
  useLayoutEffect(() => show.current(), [head]);

  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    // Pictures, late Markdown and a growing input change heights without a new turn.
    const watching = new ResizeObserver(() => show.current());
    watching.observe(content);
    watching.observe(element);
    const moved = (): void => {
      if (Math.abs(element.scrollTop - ownTop.current) > 2) isFollowing.current = false;
    };
    element.addEventListener("scroll", moved, { passive: true });
    return () => {
      watching.disconnect();
      element.removeEventListener("scroll", moved);
    };
  }, []);
  return scroller;
}
