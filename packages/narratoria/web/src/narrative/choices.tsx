/** What the player may do next, as buttons. A choice is sent by its id: two may have the same words. */
import { useState } from "react";
import type { OfferedChoice } from "../../../src/story/choices.ts";

/** A story may offer a thousand. */
const SHOWN_AT_FIRST = 12;

interface ChoicesProps {
  choices: OfferedChoice[];
  choose: (choice: OfferedChoice) => void;
}

export function Choices({ choices, choose }: ChoicesProps) {
  const [showsAll, setShowsAll] = useState(false);
  if (choices.length === 0) return null;
  const shown = showsAll ? choices : choices.slice(0, SHOWN_AT_FIRST);
  return (
    <ul className="choices" aria-label="Choices">
      {shown.map((choice, index) => (
        <li key={choice.id}>
          <button type="button" className="choice" onClick={() => choose(choice)}>
            {index < 9 && <kbd aria-hidden="true">{index + 1}</kbd>}
            <bdi className="choice-label">{choice.label}</bdi>
            {hintOf(choice) !== "" && <bdi className="choice-hint">{hintOf(choice)}</bdi>}
          </button>
        </li>
      ))}
      {shown.length < choices.length && (
        <li>
          <button type="button" className="choice" onClick={() => setShowsAll(true)}>
            <span>Show all {choices.length.toLocaleString("en")} choices</span>
          </button>
        </li>
      )}
    </ul>
  );
}

function hintOf({ hint, difficulty }: OfferedChoice): string {
  return [hint ?? "", difficulty ?? ""].filter((part) => part !== "").join(" · ");
}
