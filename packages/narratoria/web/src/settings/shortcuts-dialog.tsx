/** Every key that does something, by place. */
import { Dialog } from "../dialog.tsx";
import "./settings.css";

const SHORTCUTS: { title: string; keys: [keys: string[], what: string][] }[] = [
  {
    title: "Anywhere outside a text field",
    keys: [
      [["?"], "this sheet (also Ctrl + /, even while typing)"],
      [["g", "n"], "to the narrative"],
      [["g", "t"], "to the tools"],
      [["g", "a"], "to the assets"],
      [["g", "s"], "to the state"],
      [["g", "r"], "to the tree of turns"],
      [["g", "h"], "to all stories"],
    ],
  },
  {
    title: "In the narrative",
    keys: [
      [["Enter"], "send"],
      [["Shift", "Enter"], "a new line"],
      [["1", "…", "9"], "take that choice, while nothing is typed"],
      [["←", "→"], "other takes of the newest turn"],
      [["Esc"], "stop the turn"],
    ],
  },
  {
    title: "In the tree of turns",
    keys: [
      [["↑", "↓"], "to the turn before, to the turn after"],
      [["←", "→"], "other takes"],
      [["Home", "End"], "the beginning, where you are"],
      [["Enter"], "go there"],
    ],
  },
  {
    title: "In the state",
    keys: [
      [["↑", "↓"], "line by line"],
      [["→", "←"], "open, close"],
      [["Enter"], "where it came from"],
    ],
  },
];

export function ShortcutsDialog({ close }: { close: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      {SHORTCUTS.map(({ title, keys }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl className="shortcuts">
            {keys.map(([names, what]) => (
              <div key={what}>
                <dt>
                  {names.map((name) => (
                    <kbd key={name}>{name}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
