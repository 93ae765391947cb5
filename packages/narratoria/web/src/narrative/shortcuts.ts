/** Keys that work anywhere in the narrative: Esc stops, numbers choose, arrows go through the takes. */
import type { Choice } from "@narratoria/tool/protocol";
import { useEffect } from "react";
import type { TurnView } from "../../../src/story/session-view.ts";
import type { SessionActions } from "../session-actions.ts";

interface Shortcuts {
  head: TurnView | undefined;
  isRunning: boolean;
  choices: Choice[];
  choose(label: string): void;
  actions: SessionActions;
}

export function useShortcuts({ head, isRunning, choices, choose, actions }: Shortcuts): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape" && isRunning) return actions.stop();
      // Where there is text to move in or to add to, keys belong to the text.
      if (isTextWithWords(event.target) || isRunning) return;
      const choice = /^[1-9]$/.test(event.key) ? choices[Number(event.key) - 1] : undefined;
      if (choice !== undefined) {
        event.preventDefault();
        return choose(choice.label);
      }
      const take = otherTake(head, event.key);
      if (take !== undefined) actions.goTo(take);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [head, isRunning, choices, choose, actions]);
}

function otherTake(head: TurnView | undefined, key: string): string | undefined {
  if (head === undefined || (key !== "ArrowLeft" && key !== "ArrowRight")) return undefined;
  return head.takes[head.takes.indexOf(head.turnId) + (key === "ArrowLeft" ? -1 : 1)];
}

function isTextWithWords(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement && (target.value !== "" || target.id !== "move");
}
