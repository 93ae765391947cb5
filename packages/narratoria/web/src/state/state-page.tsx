/** The state of the story at this point, as JSON that opens and closes. */
import "./state.css";
import { isJsonObject, type Json } from "@narratoria/tool/json";
import type { SessionView } from "../../../src/story/session-view.ts";
import { EmptyState } from "../frame/empty-state.tsx";

/** The newest turn's changes are marked. */
export function StatePage({ view }: { view: SessionView }) {
  const entries = Object.entries(view.state);
  if (entries.length === 0) {
    const text = "The story keeps track of nothing so far. What tools change will show here.";
    return <EmptyState icon="account_tree" title="Nothing yet" text={text} />;
  }
  const changed = new Set(
    view.turns.at(-1)?.passages.flatMap((passage) => (passage.kind === "changes" ? passage.changes : [])).map(({ path }) => path),
  );
  return (
    <div className="place" tabIndex={0} role="group" aria-label="The state">
      <div className="column card state-tree">
        {entries.map(([key, value]) => (
          <Node key={key} name={key} value={value} path={pathTo("", key)} changed={changed} depth={0} />
        ))}
      </div>
    </div>
  );
}

interface NodeProps {
  name: string;
  value: Json;
  path: string;
  changed: Set<string>;
  depth: number;
}

function Node({ name, value, path, changed, depth }: NodeProps) {
  const isChanged = changed.has(path);
  if (typeof value !== "object" || value === null || sizeOf(value) === 0) {
    return (
      <div className="leaf">
        <span className="key">{name}</span>
        <span className={isChanged ? "value changed" : "value"}>{JSON.stringify(value)}</span>
        {isChanged && <span className="visually-hidden">changed in this turn</span>}
      </div>
    );
  }
  const children = isJsonObject(value) ? Object.entries(value) : value.map((item, index) => [String(index), item] as const);
  return (
    <details open={depth < 2}>
      <summary>
        <span className="key">{name}</span>
        <span className="quiet">{sizeOf(value)}</span>
      </summary>
      {children.map(([key, child]) => (
        <Node key={key} name={key} value={child} path={pathTo(path, key)} changed={changed} depth={depth + 1} />
      ))}
    </details>
  );
}

function sizeOf(value: Json[] | { [key: string]: Json }): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

function pathTo(parent: string, key: string): string {
  return `${parent}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
