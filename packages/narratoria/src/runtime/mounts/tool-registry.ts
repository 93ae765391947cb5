/**
 * Tools by reference: what a call names, and what that is on this machine. A reference holds no path, so that it can be
 * sent; it changes when the tool does, so that it never means another program than the one that was judged.
 */
import { hash } from "node:crypto";
import type { Mounted, ResolvedTool } from "../seams/resolved-tool.ts";
import type { ToolReference } from "../seams/tool-runner.ts";

export interface ToolRegistry {
  refer(storyDir: string, tool: ResolvedTool): ToolReference;
  /** Null when nobody has referred to such a tool here. */
  find(reference: ToolReference): Mounted | null;
}

/** More than any story mounts; the oldest are forgotten first, and known again when next referred to. */
const MOST_TOOLS = 10_000;

export function createToolRegistry(): ToolRegistry {
  const registered = new Map<string, Mounted>();
  const references = new WeakMap<ResolvedTool, ToolReference>();

  function refer(storyDir: string, tool: ResolvedTool): ToolReference {
    const known = references.get(tool);
    if (known !== undefined && registered.get(keyOf(known))?.storyDir === storyDir) return known;
    const reference = {
      story: digestOf(storyDir),
      tool: tool.skill,
      digest: digestOf(JSON.stringify([tool.command, tool.manifest, tool.needs, tool.limits, tool.env ?? {}])),
    };
    references.set(tool, reference);
    const [oldest] = registered.keys();
    if (registered.size >= MOST_TOOLS && oldest !== undefined) registered.delete(oldest);
    registered.set(keyOf(reference), { storyDir, tool });
    return reference;
  }
  return { refer, find: (reference) => registered.get(keyOf(reference)) ?? null };
}

function keyOf({ story, tool, digest }: ToolReference): string {
  return JSON.stringify([story, tool, digest]);
}

function digestOf(text: string): string {
  return hash("sha256", text, "hex").slice(0, 32);
}
