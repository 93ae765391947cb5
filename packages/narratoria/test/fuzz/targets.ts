/** Everything that is fuzzed, and the inputs that once were finds: each lies in a folder by its target's name. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { httpRoutes } from "./http-routes.ts";
import { inkStories, inkTags } from "./ink.ts";
import { manifests } from "./manifests.ts";
import { moduleHttp, moduleStdio } from "./module-answers.ts";
import { plans } from "./plans.ts";
import { permissionFiles } from "./policies.ts";
import { pythonFrames, pythonService } from "./python-answers.ts";
import { sessionFiles } from "./session-files.ts";
import type { FuzzTarget } from "./target.ts";
import { toolOutput } from "./tool-output.ts";
import { toolProcesses } from "./tool-processes.ts";

export const TARGETS: readonly FuzzTarget[] = [
  toolOutput,
  toolProcesses,
  plans,
  ...manifests,
  inkTags,
  inkStories,
  moduleStdio,
  moduleHttp,
  pythonFrames,
  pythonService,
  sessionFiles,
  httpRoutes,
  permissionFiles,
];

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
