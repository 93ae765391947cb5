/** A tool that can be run, as far as it can be known before anybody is asked for permission. `mounts/` finds them. */
import type { ModuleDescriptor } from "../../story/module-descriptor.ts";
import type { ToolLimits } from "./sandbox.ts";

export interface ResolvedTool {
  skill: string;
  /** Empty for a tool that is no program of its own: a Python function, a service. */
  command: readonly string[];
  /** Where the tool lies: its manifest's folder, or the executable's. */
  dir: string;
  /** Folders outside the story it must be able to read: its own and its libraries'. */
  readFolders: readonly string[];
  limits: ToolLimits;
  /** The capabilities it cannot do without. */
  needs: readonly string[];
  /** Whose it is: the story's own, one that ships with Narratoria, or from a folder somebody allowed. */
  source: "binding" | "builtin_pack" | "installed_pack";
  /** Of a pack: whose it is. */
  pack?: Pack;
  /** Folders besides `dir` in which a Python function's modules are looked for, and a `.venv`. */
  imports?: readonly string[];
  /** Set inside the sandbox, not around it. */
  env?: Readonly<Record<string, string>>;
  /** What a `tool.json` or a mount said, without credentials; null for a bare executable. */
  manifest: ModuleDescriptor | null;
  /** Of a service whose address held some. */
  credentials?: ServiceCredentials;
}

/** What a service is shown, and nobody else. */
export interface ServiceCredentials {
  /** The header. */
  readonly authorization: string;
  /** What must not be seen anywhere. */
  readonly secrets: readonly string[];
}

export interface Pack {
  id: string;
  name: string;
  version: string | null;
}

/** A tool in the story that mounts it. */
export interface Mounted {
  readonly tool: ResolvedTool;
  readonly storyDir: string;
}

/** A mount with what it takes to run it. */
export interface EquippedMount extends Mounted {
  /** Granted secrets, by name. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Which story it is, and where it lies here. */
export interface StoryIdentity {
  readonly dir: string;
  /** Its folder's name when it has none of its own. */
  readonly title: string;
  readonly version: string | null;
}

/** A story's folder, and its tools by their names. */
export interface MountedStory {
  readonly dir: string;
  readonly mounts: ReadonlyMap<string, ResolvedTool>;
}

/** The other kinds have work of their own: they hear events, hold context, or tell the story. */
export function isToolOfPlans({ manifest }: ResolvedTool): boolean {
  return manifest === null || manifest.kind === "tool" || manifest.kind === "agent" || manifest.kind === "provider";
}
