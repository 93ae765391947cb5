/** What the player may do next, as buttons. A choice is sent exactly as if it were typed. */
import type { Choice } from "@narratoria/tool/protocol";

interface ChoicesProps {
  choices: Choice[];
  choose: (label: string) => void;
}

export function Choices({ choices, choose }: ChoicesProps) {
  if (choices.length === 0) return null;
  return (
    <ul className="choices" aria-label="Choices">
      {choices.map((choice, index) => (
        <li key={`${index} ${choice.label}`}>
          <button type="button" className="choice" onClick={() => choose(choice.label)}>
            {index < 9 && <kbd aria-hidden="true">{index + 1}</kbd>}
            <span className="choice-label">{choice.label}</span>
            {hintOf(choice) !== "" && <span className="choice-hint">{hintOf(choice)}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}

function hintOf({ hint, difficulty }: Choice): string {
  return [hint ?? "", difficulty ?? ""].filter((part) => part !== "").join(" · ");
}
