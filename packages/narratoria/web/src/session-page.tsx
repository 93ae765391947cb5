/** One session: follows its events and shows one of its places in the frame. */
import { useEffect, useMemo, useState } from "react";
import { AssetsPage } from "./assets/assets-page.tsx";
import { AppFrame } from "./frame/app-frame.tsx";
import { EmptyState } from "./frame/empty-state.tsx";
import { dropUnseen } from "./name.tsx";
import { NarrativePage } from "./narrative/narrative-page.tsx";
import { SupportingPane } from "./narrative/supporting-pane.tsx";
import { useKeptSnapshot } from "./offline/kept-snapshots.ts";
import { navigate, type Place } from "./route.ts";
import { createSessionActions, type ActionProblem } from "./session-actions.ts";
import type { StoreState } from "./session-store.ts";
import { useSession } from "./use-session.ts";
import { StatePage } from "./state/state-page.tsx";
import { ToolsPage } from "./tools/tools-page.tsx";
import { TreePage } from "./tree/tree-page.tsx";
import { useMedia, WIDE } from "./use-media.ts";

export function SessionPage({ sessionId, place }: { sessionId: string; place: Place }) {
  const { state, store } = useSession(sessionId);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const actions = useMemo(() => createSessionActions(sessionId, store, setProblem), [sessionId, store]);
  const title = state.kind === "ready" ? state.view.title || state.view.story.title : "";
  useEffect(() => {
    document.title = title === "" ? "Narratoria" : `${dropUnseen(title)} · Narratoria`;
  }, [title]);

  useKeptSnapshot(sessionId, state);

  const isWide = useMedia(WIDE);
  const head = state.kind === "ready" ? state.view.turns.at(-1) : undefined;
  const hasPane = isWide && place === "narrative" && head !== undefined;

  return (
    <AppFrame sessionId={sessionId} place={place} state={state} pane={hasPane ? <SupportingPane turn={head} /> : null}>
      {state.kind === "ready" ? (
        <>
          {place === "narrative" && (
            <NarrativePage view={state.view} actions={actions} problem={problem} dismiss={() => setProblem(null)} />
          )}
          {place === "tools" && <ToolsPage view={state.view} actions={actions} />}
          {place === "assets" && <AssetsPage view={state.view} />}
          {place === "state" && <StatePage view={state.view} />}
          {place === "tree" && (
            <TreePage view={state.view} actions={actions} problem={problem} dismiss={() => setProblem(null)} />
          )}
        </>
      ) : (
        <NotReady state={state} />
      )}
    </AppFrame>
  );
}

function NotReady({ state }: { state: Exclude<StoreState, { kind: "ready" }> }) {
  if (state.kind === "gone") {
    return (
      <EmptyState icon="auto_stories" title="Nothing here" text={state.message}>
        <m3e-button variant="tonal" onClick={() => navigate({ kind: "start" })}>
          To the stories
        </m3e-button>
      </EmptyState>
    );
  }
  const text = state.connection === "lost" ? "Narratoria cannot be reached. Trying again…" : "Opening the story…";
  return (
    <div className="loading" role="status">
      <m3e-circular-progress-indicator indeterminate aria-label="Loading" />
      <p>{text}</p>
    </div>
  );
}
