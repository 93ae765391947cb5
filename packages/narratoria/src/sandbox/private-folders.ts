/** The folders that belong to one invocation alone: its /tmp and its asset folder. They go when it has gone. */
import { chownSync, mkdirSync, statfsSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { NamedFile } from "../runtime/seams/assets.ts";
import type { ToolLimits } from "../runtime/seams/sandbox.ts";
import { makeOwnFolder, removeTree, temporaryFolder } from "./own-folders.ts";
import type { SandboxUser } from "./sandbox-user.ts";

export interface PrivateFolders {
  /** What the tool sees as /tmp. */
  readonly temporary: string;
  /** The same path inside and outside. */
  readonly assets: string;
  /** Where a file that the tool named lies for us. `visible` are the other places it sees and their sources. */
  hostFile(
    path: string,
    storyDir: string,
    visible: readonly (readonly [place: string, source: string])[],
  ): Pick<NamedFile, "path" | "within">;
  remove(): Promise<void>;
}

const TMPFS = 0x01021994;

/** Synchronous: a handful of quick calls, where promises would cost the start of a tool half a millisecond. */
export function makePrivateFolders(owner: SandboxUser["owner"]): PrivateFolders {
  const root = makeOwnFolder("tool");
  const temporary = join(root, "tmp");
  const assets = join(root, "assets");
  for (const folder of [root, temporary, assets]) {
    if (folder !== root) mkdirSync(folder);
    if (owner !== null) chownSync(folder, owner.uid, owner.gid);
  }

  function hostFile(
    ...[path, storyDir, visible]: Parameters<PrivateFolders["hostFile"]>
  ): Pick<NamedFile, "path" | "within"> {
    const asked = resolve(storyDir, path);
    // The longest place first: a story may lie below /tmp, and the asset folder does.
    const places = [...visible, [assets, assets] as const, ["/tmp", temporary] as const].toSorted(
      ([a], [b]) => b.length - a.length,
    );
    const within = places.map(([, source]) => source);
    for (const [place, source] of places) {
      if (asked.startsWith(place + sep)) return { path: join(source, relative(place, asked)), within };
    }
    return { path: asked, within };
  }
  return { temporary, assets, hostFile, remove: () => removeTree(root) };
}

/** How much of what is written there is memory: all of it on a file system that lies in memory. */
export function bytesInMemory({ diskMb }: Pick<ToolLimits, "diskMb">): number {
  return statfsSync(temporaryFolder()).type === TMPFS ? diskMb * 1024 * 1024 : 0;
}
