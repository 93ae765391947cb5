/**
 * Hooks that are modules: a story's mounts of kind `hook` hear what happens in its sessions (`op: "on_event"`), and
 * those with `gate` have a say in it. `hooks.ts` decides who is asked when, and what an answer means; `observers.ts` tells.
 */
import type { JsonObject } from "@narratoria/tool/json";
import type { DraftOf } from "../../story/event.ts";
import type { MountedStory, ResolvedTool } from "../seams/resolved-tool.ts";
import type { ModuleCaller } from "./call-module.ts";
import type { Hook, Hooks } from "./hooks.ts";
import { HookFailed } from "./observers.ts";

export interface ModuleHooks {
  /** For a session and the story it tells: registers what is mounted now, and tells what was decided about each. */
  mount(sessionId: string, story: MountedStory): Promise<DraftOf<"policy:decision">[]>;
  /** Whether it is known here which story a session tells. */
  knows(sessionId: string): boolean;
  forget(sessionId: string): void;
}

const ANSWER_MS = 2_000;
const NEVER = new AbortController().signal;

export function createModuleHooks(hooks: Pick<Hooks, "register">, caller: ModuleCaller): ModuleHooks {
  const registered = new Map<string, { manifests: string; remove(): void }>();
  /** The stories' folders, by the sessions that tell them. */
  const told = new Map<string, string>();

  async function mount(sessionId: string, story: MountedStory): Promise<DraftOf<"policy:decision">[]> {
    told.set(sessionId, story.dir);
    const modules = [...story.mounts.values()].filter(isHookModule);
    const manifests = JSON.stringify(modules.map(({ manifest }) => manifest));
    if (registered.get(story.dir)?.manifests !== manifests) {
      registered.get(story.dir)?.remove();
      const registrations = modules.map((tool) => hooks.register(hookOf(tool, story.dir)));
      registered.set(story.dir, {
        manifests,
        remove: () => registrations.forEach((registration) => registration.remove()),
      });
    }
    const judged = await Promise.all(modules.map((tool) => caller.judge({ tool, storyDir: story.dir })));
    return judged.flatMap(({ decisions }) => decisions);
  }

  function hookOf(tool: ResolvedTool, storyDir: string): Hook {
    const { events = ["*"], priority = 0, gate = false } = tool.manifest ?? {};
    const tell = (event: object): Promise<unknown> => callHook(tool, storyDir, event);
    const concerns = (sessionId: string): boolean => told.get(sessionId) === storyDir;
    const part = gate
      ? { gate: tell }
      : { observe: async (happened: object): Promise<void> => void (await tell(happened)) };
    return { name: tool.skill, events, priority, concerns, ...part };
  }

  /** Throws when there is no answer: for an observer that is nobody's loss, for a gate it means no. */
  async function callHook(tool: ResolvedTool, storyDir: string, event: object): Promise<unknown> {
    const sessionId = "session_id" in event && typeof event.session_id === "string" ? event.session_id : null;
    const call = { op: "on_event", args: { event: event as JsonObject }, sessionId, timeoutMs: ANSWER_MS };
    const { reply } = await caller.call({ tool, storyDir }, call, NEVER);
    if (reply.kind === "error") throw new HookFailed(reply.error);
    return reply.result;
  }

  return {
    mount,
    knows: (sessionId) => told.has(sessionId),
    forget: (sessionId) => void told.delete(sessionId),
  };
}

function isHookModule({ manifest }: ResolvedTool): boolean {
  return manifest?.kind === "hook" && manifest.protocol === "amplifier/1";
}
