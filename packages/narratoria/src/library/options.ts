/** What a program may bring when it opens a host. `check-options.ts` looks at it, `open-narratoria.ts` opens. */
import type { MountRunner } from "../runners/mount-runner.ts";
import type { Story } from "../runtime/mounts/load-story.ts";
import type { Policy } from "../runtime/policy/policy.ts";
import type { Clock } from "../runtime/seams/clock.ts";
import type { Engine } from "../runtime/seams/engine.ts";
import type { Narrator } from "../runtime/seams/narrator.ts";
import type { Sandbox } from "../runtime/seams/sandbox.ts";
import type { Store } from "../runtime/seams/store.ts";
import type { ToolProtocol } from "../story/module-descriptor.ts";

/** What running plans takes. Whatever is left out is what the command line has. */
export interface PlanRunnerOptions {
  /** Where things are kept; without it nothing outlives the host. */
  dataDir?: string | undefined;
  /** "best": the best this system offers. "none": tools are ordinary programs. Or one's own. */
  sandbox?: "best" | "none" | Sandbox | undefined;
  /** What tools are granted; nothing without it. */
  policy?: Policy | undefined;
  /** How many tools may run at once, for all plans together; four a core when nobody says. */
  slots?: number | undefined;
  /** In place of ours, by the protocol that a tool's manifest names. */
  runners?: { readonly [protocol in ToolProtocol]?: BroughtRunner } | undefined;
  /** Who executes plans; in this process when nobody says. */
  engine?: Engine | undefined;
  clock?: Clock | undefined;
  /** Makes the ids of sessions, turns, plans, attempts and events. */
  newId?: (() => string) | undefined;
}

export interface NarratoriaOptions extends PlanRunnerOptions {
  /** The folders of the stories there are; a new session tells the first. Without it: those that ship with Narratoria. */
  stories?: readonly string[] | undefined;
  /** Narrators of one's own, by the name that a `story.json` calls them. */
  narrators?: { readonly [name: string]: BroughtNarrator } | undefined;
  /** In place of a database in the data folder, where assets are kept all the same. */
  store?: Store | undefined;
  /** Whether somebody answers questions (`ask:open`) with `sessions.answer`; otherwise what is not granted is denied. */
  mayAsk?: boolean | undefined;
  /** Which stories the policy's grants are meant for; the first of `stories` when nobody says. */
  policyHoldsFor?: ((storyDir: string) => boolean) | undefined;
  /** Tools may run below the full sandbox: somebody confirmed that for every story. */
  allowUnconfined?: boolean | undefined;
  /** The first story's folder is meant, also when it is somebody's home or holds keys. */
  allowStoryFolder?: boolean | undefined;
  /** Hears in a sentence what is wrong with what is kept, when it does not keep anybody from playing. */
  tell?: ((sentence: string) => void) | undefined;
}

/** Opens a story for telling; what it throws is a problem of the story. */
export type BroughtNarrator = (story: Story, signal: AbortSignal) => TellingNarrator | Promise<TellingNarrator>;

/** Only `next` is needed. */
export type TellingNarrator = Pick<Narrator, "next"> & Partial<Narrator>;

/** Only `run` is needed: then it offers what manifests say, and keeps nothing running. */
export type BroughtRunner = Pick<MountRunner, "run"> & Partial<MountRunner>;
