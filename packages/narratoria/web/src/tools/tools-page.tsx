/** What a turn's tools did and why, live and afterwards; and the tools that are mounted, with what they may do. */
import "./tools.css";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { SessionView } from "../../../src/story/session-view.ts";
import { EmptyState } from "../frame/empty-state.tsx";
import { Segments } from "../segments.tsx";
import type { SessionActions } from "../session-actions.ts";
import { PHONE, useMedia } from "../use-media.ts";
import { type Chosen, chooseTool, useChosenTool } from "./chosen-tool.ts";
import { MountedTools } from "./mounted-tools.tsx";
import { PlanColumns } from "./plan-columns.tsx";
import { PlanList } from "./plan-list.tsx";
import { PlanTimeline } from "./plan-timeline.tsx";
import { ToolDetail } from "./tool-detail.tsx";
import { TurnPicker } from "./turn-picker.tsx";

/** Three times the rest of this place: fetched when somebody looks at it. */
const PlanGraph = lazy(() => import("./plan-graph.tsx"));

const SUBJECTS = [
  { value: "turns", label: "What ran" },
  { value: "mounted", label: "Mounted tools" },
] as const;
const LOOKS = [
  { value: "list", label: "List" },
  { value: "graph", label: "Graph" },
  { value: "timeline", label: "Timeline" },
] as const;

export function ToolsPage({ view, actions }: { view: SessionView; actions: SessionActions }) {
  const [subject, setSubject] = useState<(typeof SUBJECTS)[number]["value"]>("turns");
  const chosen = useChosenTool(view);
  return (
    <div className="place" tabIndex={0} role="group" aria-label="Tools">
      <div className="column tools-column">
        <Segments label="What to look at" options={SUBJECTS} chosen={subject} choose={setSubject} />
        {subject === "mounted" && <MountedTools story={view.story.dir} />}
        {subject === "turns" && chosen !== null && <WhatRan view={view} chosen={chosen} actions={actions} />}
        {subject === "turns" && chosen === null && (
          <EmptyState
            icon="handyman"
            title="No tools yet"
            text="When the story needs a tool, it shows here while it works."
          />
        )}
      </div>
    </div>
  );
}

interface WhatRanProps {
  view: SessionView;
  chosen: Chosen;
  actions: SessionActions;
}

function WhatRan({ view, chosen: { turn, tool }, actions }: WhatRanProps) {
  const [look, setLook] = useState<(typeof LOOKS)[number]["value"]>("list");
  const { sessionId } = view;
  const detail = useRef<HTMLDivElement>(null);
  const isPhone = useMedia(PHONE);
  const hasChosen = useRef(false);
  const choose = (next: typeof tool): void => {
    hasChosen.current = true;
    chooseTool(sessionId, turn, next);
  };
  useEffect(() => {
    // On a small screen what was chosen lies below what it was chosen from.
    if (isPhone && hasChosen.current) detail.current?.scrollIntoView();
  }, [isPhone, tool?.planId, tool?.toolId]);
  return (
    <>
      <div className="tools-bar">
        <TurnPicker view={view} turn={turn} />
        <Segments label="How to look at the plan" options={LOOKS} chosen={look} choose={setLook} />
      </div>
      {look === "list" && (
        <PlanColumns turn={turn} body={(plan) => <PlanList turn={turn} plan={plan} chosen={tool} choose={choose} />} />
      )}
      {look === "graph" && (
        <Suspense fallback={<p className="quiet">Drawing…</p>}>
          <PlanColumns
            turn={turn}
            body={(plan) => <PlanGraph turn={turn} plan={plan} chosen={tool} choose={choose} />}
          />
        </Suspense>
      )}
      {look === "timeline" && <PlanTimeline turn={turn} chosen={tool} choose={choose} />}
      <div ref={detail}>
        {tool !== null && (
          <ToolDetail
            key={`${turn.turnId} ${tool.planId} ${tool.toolId}`}
            sessionId={sessionId}
            turn={turn}
            tool={tool}
            retry={() => actions.retry(turn.turnId)}
          />
        )}
      </div>
    </>
  );
}
