/** Everything that is fuzzed, and the inputs that once were finds: each lies in a folder by its target's name. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FuzzTarget } from "./target.ts";

/** Loaded one by one: each brings a good part of the program along. */
export const TARGETS: { readonly [name: string]: () => Promise<FuzzTarget> } = {
  "tool-output": async () => (await import("./tool-output.ts")).toolOutput,
  "tool-processes": async () => (await import("./tool-processes.ts")).toolProcesses,
  plans: async () => (await import("./plans.ts")).plans,
  "tool-json": async () => (await import("./manifests.ts")).toolJson,
  "story-json": async () => (await import("./manifests.ts")).storyJson,
  "skill-front-matter": async () => (await import("./manifests.ts")).skillFrontMatter,
  "namel3ss-tools": async () => (await import("./manifests.ts")).namel3ssTools,
  "namel3ss-pack": async () => (await import("./manifests.ts")).namel3ssPack,
  "namel3ss-settings": async () => (await import("./manifests.ts")).namel3ssSettings,
  "stub-plans": async () => (await import("./manifests.ts")).stubPlans,
  "ink-tags": async () => (await import("./ink.ts")).inkTags,
  "ink-stories": async () => (await import("./ink.ts")).inkStories,
  "module-stdio": async () => (await import("./module-answers.ts")).moduleStdio,
  "module-http": async () => (await import("./module-answers.ts")).moduleHttp,
  "input-schemas": async () => (await import("./input-schemas.ts")).inputSchemas,
  "python-frames": async () => (await import("./python-answers.ts")).pythonFrames,
  "python-service": async () => (await import("./python-answers.ts")).pythonService,
  "session-files": async () => (await import("./session-files.ts")).sessionFiles,
  "http-routes": async () => (await import("./http-routes.ts")).httpRoutes,
  "permission-files": async () => (await import("./policies.ts")).permissionFiles,
};

const KEPT = fileURLToPath(new URL("../fixtures/fuzz/", import.meta.url));

export function keptFinds(target: string): { name: string; input: Buffer }[] {
  const folder = join(KEPT, target);
  const names = existsSync(folder) ? readdirSync(folder).toSorted() : [];
  return names.map((name) => ({ name, input: readFileSync(join(folder, name)) }));
}

/** Where it lies now. Give it a name that says what is wrong with it. */
export function keepFind(target: string, input: Buffer, folder: string = KEPT): string {
  const file = join(folder, target, `${createHash("sha256").update(input).digest("hex").slice(0, 12)}.bin`);
  mkdirSync(join(folder, target), { recursive: true });
  writeFileSync(file, input);
  return file;
}
