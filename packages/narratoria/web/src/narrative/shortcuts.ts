/** Keys that work anywhere in the narrative: Esc stops, numbers choose, arrows go through the takes. */
import { useLayoutEffect } from "react";
import type { OfferedChoice } from "../../../src/story/choices.ts";
import type { TurnView } from "../../../src/story/session-view.ts";
import type { SessionActions } from "../session-actions.ts";

interface Shortcuts {
  head: TurnView | undefined;
  isBusy: boolean;
  choices: OfferedChoice[];
  choose: (choice: OfferedChoice) => void;
  actions: SessionActions;
}

export function useShortcuts({ head, isBusy, choices, choose, actions }: Shortcuts): void {
  const isRunning = head?.status === "running";
  // Before the paint: whoever presses a number as soon as the choices show must not meet the keys of the turn before.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      // An open menu closes first.
      if (document.querySelector("m3e-menu:popover-open") !== null) return;
      if (event.key === "Escape" && isRunning) return actions.stop();
      if (isBusy || !isForTheStory(event.target)) return;
      const choice = /^[1-9]$/.test(event.key) ? choices[Number(event.key) - 1] : undefined;
      if (choice !== undefined) {
        event.preventDefault();
        return choose(choice);
      }
      const take = otherTake(head, event.key);
      if (take !== undefined) actions.goTo(take);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [head, isRunning, isBusy, choices, choose, actions]);
}

function otherTake(head: TurnView | undefined, key: string): string | undefined {
  if (head === undefined || (key !== "ArrowLeft" && key !== "ArrowRight")) return undefined;
  return head.takes[head.takes.indexOf(head.turnId) + (key === "ArrowLeft" ? -1 : 1)];
}

/** Where there is text to move in, sound to wind, or another part of the page, keys belong to that. */
function isForTheStory(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || target === document.body) return true;
  if (target instanceof HTMLTextAreaElement) return target.id === "move" && target.value === "";
  return target.closest(".narrative") !== null && !(target instanceof HTMLMediaElement);
}
