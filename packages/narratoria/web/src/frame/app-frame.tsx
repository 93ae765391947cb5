/** What stands around every place of a session: the navigation, the top bar, the connection's banner. */
import "./frame.css";
import { type MouseEvent, type ReactNode, useEffect, useRef } from "react";
import type { SessionView } from "../../../src/story/session-view.ts";
import { Icon } from "../icon.tsx";
import { navigate, type Place, type PageRoute } from "../route.ts";
import type { StoreState } from "../session-store.ts";
import { PHONE, useMedia } from "../use-media.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import { TopBar } from "./top-bar.tsx";

const DESTINATIONS: { place: Place; label: string; icon: string }[] = [
  { place: "narrative", label: "Narrative", icon: "auto_stories" },
  { place: "tools", label: "Tools", icon: "handyman" },
  { place: "assets", label: "Assets", icon: "photo_library" },
  { place: "state", label: "State", icon: "account_tree" },
];

interface AppFrameProps {
  sessionId: string;
  place: Place;
  state: StoreState;
  /** Beside the main part on wide screens; null leaves the room to it. */
  pane: ReactNode | null;
  children: ReactNode;
}

export function AppFrame({ sessionId, place, state, pane, children }: AppFrameProps) {
  const isPhone = useMedia(PHONE);
  const view = state.kind === "ready" ? state.view : null;
  const main = useRef<HTMLElement>(null);
  const shownPlace = useRef(place);
  useEffect(() => {
    // Going to another place starts reading there; the narrative puts the focus into its input by itself.
    if (shownPlace.current !== place && place !== "narrative") main.current?.focus();
    shownPlace.current = place;
  }, [place]);

  const items = DESTINATIONS.map((destination) => (
    <Destination
      key={destination.place}
      {...destination}
      isSelected={destination.place === place}
      route={{ kind: "session", sessionId, place: destination.place }}
      badge={destination.place === "tools" ? countRunning(view) : 0}
    />
  ));
  return (
    <div className={pane === null ? "frame" : "frame with-pane"}>
      <a className="skip-link" href="#main" onClick={(event) => focusMain(event, main.current)}>
        Skip to the story
      </a>
      {isPhone ? (
        <m3e-nav-bar className="bottom-bar" aria-label="Places">
          {items}
        </m3e-nav-bar>
      ) : (
        <m3e-nav-rail className="rail" aria-label="Places">
          <HomeLink />
          {items}
        </m3e-nav-rail>
      )}
      <main className="main" id="main" tabIndex={-1} ref={main} aria-label={labelOf(place)}>
        <TopBar view={view} place={place} />
        {state.kind !== "gone" && <ConnectionBanner connection={state.connection} />}
        {children}
      </main>
      {pane}
    </div>
  );
}

interface DestinationProps {
  label: string;
  icon: string;
  isSelected: boolean;
  route: PageRoute;
  badge: number;
}

function Destination({ label, icon, isSelected, route, badge }: DestinationProps) {
  return (
    // Without an address of its own: the component would nest a link in its button.
    <m3e-nav-item selected={isSelected} aria-current={isSelected ? "page" : undefined} onClick={() => navigate(route)}>
      <span slot="icon" className="nav-icon">
        <Icon name={isSelected ? `${icon}-fill` : icon} />
        {badge > 0 && (
          <span className="nav-badge" role="img" aria-label={`${badge} running`}>
            {badge}
          </span>
        )}
      </span>
      {label}
    </m3e-nav-item>
  );
}

function HomeLink() {
  const start: PageRoute = { kind: "start" };
  return (
    <a className="home-link" href="/" aria-label="All stories" onClick={(event) => follow(event, start)}>
      <img src="/favicon.svg" alt="" width="40" height="40" />
    </a>
  );
}

/** Goes there without loading the page anew, unless the player asked for a new tab. */
function follow(event: MouseEvent, route: PageRoute): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  navigate(route);
}

function focusMain(event: MouseEvent, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}

function labelOf(place: Place): string {
  return DESTINATIONS.find((destination) => destination.place === place)?.label ?? place;
}

function countRunning(view: SessionView | null): number {
  const tools = view?.turns.at(-1)?.status === "running" ? (view.turns.at(-1)?.tools ?? []) : [];
  return tools.filter(({ status }) => status === "running" || status === "retrying").length;
}
