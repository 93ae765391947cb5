/** A plan as a graph with its tools' states. `plan-list.tsx` says the same in words; this is loaded when shown. */
import "@xyflow/react/dist/base.css";
import { Controls, type Edge, Handle, MarkerType, type Node, type NodeProps, Position, ReactFlow } from "@xyflow/react";
import { useMemo } from "react";
import type { ToolView } from "../../../src/story/session-view.ts";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";
import { shorten } from "../words.ts";
import { layOutPlan, NODE, type PlanLayout } from "./plan-layout.ts";
import type { PlanProps } from "./plan-list.tsx";
import { STATUS_ICONS, wordsForStatus } from "./status-words.ts";

const MOST_TOOLS = 300;

type ToolNodeType = Node<{ tool: ToolView; isChosen: boolean; choose: () => void }, "tool">;
const NODE_TYPES = { tool: ToolNode };

export default function PlanGraph({ turn, plan, chosen, choose }: PlanProps) {
  const isTooLarge = plan.toolIds.length > MOST_TOOLS;
  const { places, height } = useMemo(
    (): PlanLayout => (isTooLarge ? { places: new Map(), height: 0 } : layOutPlan(plan)),
    // A plan never changes once it is made; its status does.
    [plan.planId],
  );
  if (isTooLarge) {
    return <p className="quiet">{plan.toolIds.length} tools are too many for a picture. The list has them all.</p>;
  }
  const tools = turn.tools.filter(({ planId }) => planId === plan.planId);
  const nodes = tools.map((tool): ToolNodeType => ({
    id: tool.toolId,
    type: "tool",
    position: places.get(tool.toolId) ?? { x: 0, y: 0 },
    ...NODE,
    data: { tool, isChosen: tool === chosen, choose: () => choose(tool) },
  }));
  const edges = plan.toolIds.flatMap((id) =>
    (plan.dependencies[id] ?? []).map((before): Edge => ({
      id: `${before} ${id}`,
      source: before,
      target: id,
      markerEnd: { type: MarkerType.ArrowClosed, color: "var(--outline)" },
      animated: tools.some(({ toolId, status }) => toolId === id && (status === "running" || status === "retrying")),
    })),
  );
  return (
    <div className="graph" role="group" aria-label="The plan as a graph" style={{ height: Math.min(460, height + 90) }}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        fitView
        fitViewOptions={{ padding: 0.12, maxZoom: 1 }}
        minZoom={0.1}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        // The button inside a node is what takes the focus.
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        // Scrolling belongs to the page.
        zoomOnScroll={false}
        preventScrolling={false}
      >
        <Controls showInteractive={false} fitViewOptions={{ padding: 0.12, maxZoom: 1 }} />
      </ReactFlow>
    </div>
  );
}

function ToolNode({ data: { tool, isChosen, choose } }: NodeProps<ToolNodeType>) {
  return (
    <>
      <Handle type="target" position={Position.Top} aria-hidden="true" />
      <button type="button" className={`graph-node nopan ${tool.status}`} aria-pressed={isChosen} onClick={choose}>
        <Icon name={STATUS_ICONS[tool.status]} />
        <span className="tool-name">
          <Name text={shorten(tool.skill, 40)} />
        </span>
        <span className="tool-state">
          {wordsForStatus(tool.status)}
          {tool.attempt > 1 && `, ${tool.attempt} of ${tool.maxAttempts}`}
        </span>
      </button>
      <Handle type="source" position={Position.Bottom} aria-hidden="true" />
    </>
  );
}
