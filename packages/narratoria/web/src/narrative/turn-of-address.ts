/** Other places link to a turn by the address: it is brought into view once, and the address is the story's again. */
import { type RefObject, useEffect } from "react";
import { navigate, useRoute } from "../route.ts";

export function useTurnOfAddress(scroller: RefObject<HTMLDivElement | null>): void {
  const route = useRoute();
  const item = route.kind === "session" ? route.item : undefined;
  const sessionId = route.kind === "session" ? route.sessionId : "";
  useEffect(() => {
    if (item === undefined) return;
    const turn = scroller.current?.querySelector<HTMLElement>(`[data-turn="${CSS.escape(item)}"]`);
    if (turn) {
      turn.tabIndex = -1;
      turn.scrollIntoView({ block: "start" });
      // The input takes the focus in the next frame; whoever asked for a turn wants to read it.
      requestAnimationFrame(() => turn.focus({ preventScroll: true }));
    }
    navigate({ kind: "session", sessionId, place: "narrative" }, "replace");
  }, [item, sessionId, scroller]);
}
