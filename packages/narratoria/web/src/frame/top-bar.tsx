/** The line above every place: which story, how far, the tree of turns, and what is rarely needed behind one button. */
import { useState } from "react";
import type { SessionView } from "../../../src/story/session-view.ts";
import { api } from "../api.ts";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";
import { navigate, type Place } from "../route.ts";
import { chooseScheme, type Scheme, SCHEMES, useScheme } from "../scheme.ts";
import { DeleteDialog } from "../sessions/delete-dialog.tsx";
import { downloadSession } from "../sessions/download-session.ts";
import { NameDialog } from "../sessions/name-dialog.tsx";
import { showDialog } from "../settings/app-dialogs.tsx";

const SCHEME_LABELS: { [scheme in Scheme]: string } = { dark: "Dark", light: "Light", system: "System's" };

type Asked = "rename" | "bookmark" | "delete" | null;

export function TopBar({ view, place }: { view: SessionView | null; place: Place }) {
  const [asked, setAsked] = useState<Asked>(null);
  const title = view === null ? "Narratoria" : view.title || view.story.title || "Untitled";
  const number = view?.turns.at(-1)?.number ?? 0;
  return (
    <header className="top-bar">
      <h1>
        <Name text={title} />
        {place === "narrative" && number > 0 && <small> · turn {number}</small>}
        {place !== "narrative" && <small> · {place}</small>}
      </h1>
      {view !== null && <TreeButton sessionId={view.sessionId} isHere={place === "tree"} />}
      <m3e-icon-button aria-label="Menu" id="menu-button">
        <Icon name="more_vert" />
        <m3e-menu-trigger for="top-menu" />
      </m3e-icon-button>
      <Menu view={view} ask={setAsked} />
      {view !== null && asked !== null && (
        <SessionDialog view={view} title={title} asked={asked} close={() => setAsked(null)} />
      )}
    </header>
  );
}

/** One click from the story to its tree, and one click back. */
function TreeButton({ sessionId, isHere }: { sessionId: string; isHere: boolean }) {
  const words = isHere ? "Back to the story" : "The tree of turns";
  return (
    <m3e-icon-button
      aria-label={words}
      title={words}
      variant={isHere ? "tonal" : "standard"}
      onClick={() => navigate({ kind: "session", sessionId, place: isHere ? "narrative" : "tree" })}
    >
      <Icon name="graph_2" />
    </m3e-icon-button>
  );
}

function Menu({ view, ask }: { view: SessionView | null; ask: (what: Asked) => void }) {
  const scheme = useScheme();
  const item = (label: string, icon: string, run: () => void) => (
    <m3e-menu-item onClick={run}>
      <Icon name={icon} slot="icon" />
      {label}
    </m3e-menu-item>
  );
  return (
    <m3e-menu id="top-menu" position-x="before" aria-label="Menu">
      {item("All stories", "home", () => navigate({ kind: "start" }))}
      {view !== null && item("Rename", "edit", () => ask("rename"))}
      {view?.headTurnId && item("Bookmark this turn", "bookmark", () => ask("bookmark"))}
      {view !== null && item("Export", "download", () => downloadSession(view.sessionId))}
      {view !== null && item("Delete", "delete", () => ask("delete"))}
      {item("Settings", "settings", () => showDialog("settings"))}
      {item("Keyboard shortcuts", "keyboard", () => showDialog("shortcuts"))}
      {SCHEMES.map((name) => (
        <m3e-menu-item-radio key={name} checked={name === scheme} onClick={() => chooseScheme(name)}>
          {SCHEME_LABELS[name]} scheme
        </m3e-menu-item-radio>
      ))}
    </m3e-menu>
  );
}

interface SessionDialogProps {
  view: SessionView;
  title: string;
  asked: Exclude<Asked, null>;
  close: () => void;
}

/** What these change comes back as events. */
function SessionDialog({ view: { sessionId, headTurnId, bookmarks, turns }, title, asked, close }: SessionDialogProps) {
  if (asked === "delete") {
    const deleted = (): void => navigate({ kind: "start" }, "replace");
    return <DeleteDialog sessionId={sessionId} title={title} deleted={deleted} close={close} />;
  }
  if (asked === "rename") {
    const save = (name: string) => api.rename(sessionId, name);
    return <NameDialog title="Rename this session" label="Title" name={title} save={save} close={close} />;
  }
  const turnId = headTurnId ?? "";
  const bookmark = bookmarks[turnId];
  return (
    <NameDialog
      title="Bookmark this turn"
      label="Name"
      name={bookmark ?? `Turn ${turns.at(-1)?.number ?? 0}`}
      {...(bookmark !== undefined && { remove: () => api.bookmark(sessionId, turnId, null) })}
      save={(name) => api.bookmark(sessionId, turnId, name)}
      close={close}
    />
  );
}
