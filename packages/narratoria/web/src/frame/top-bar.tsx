/** The line above every place: which story, how far, and what is rarely needed behind one button. */
import type { SessionView } from "../../../src/story/session-view.ts";
import { Icon } from "../icon.tsx";
import { navigate, type Place } from "../route.ts";
import { chooseScheme, type Scheme, SCHEMES, useScheme } from "../scheme.ts";

const SCHEME_LABELS: { [scheme in Scheme]: string } = { dark: "Dark", light: "Light", system: "System's" };

export function TopBar({ view, place }: { view: SessionView | null; place: Place }) {
  const scheme = useScheme();
  const title = view === null ? "Narratoria" : view.title || view.story.title || "Untitled";
  const number = view?.turns.at(-1)?.number ?? 0;
  return (
    <header className="top-bar">
      <h1>
        {title}
        {place === "narrative" && number > 0 && <small> · turn {number}</small>}
        {place !== "narrative" && <small> · {place}</small>}
      </h1>
      <m3e-icon-button aria-label="Menu" id="menu-button">
        <Icon name="more_vert" />
        <m3e-menu-trigger for="top-menu" />
      </m3e-icon-button>
      <m3e-menu id="top-menu" position-x="before" aria-label="Menu">
        <m3e-menu-item onClick={() => navigate({ kind: "start" })}>
          <Icon name="home" slot="icon" />
          All stories
        </m3e-menu-item>
        {SCHEMES.map((name) => (
          <m3e-menu-item-radio key={name} checked={name === scheme} onClick={() => chooseScheme(name)}>
            {SCHEME_LABELS[name]} scheme
          </m3e-menu-item-radio>
        ))}
      </m3e-menu>
    </header>
  );
}
