/** Makes what a tool finds in its world: the system, its story, its folders and what it was granted, as mounts. */
import type { Program } from "../runtime/seams/sandbox.ts";
import { systemMounts, toArguments, type Mount } from "./bubblewrap-arguments.ts";
import { grantedPaths } from "./granted.ts";
import { isInside } from "../runtime/mounts/real-location.ts";
import type { LinkedModules } from "../runtime/mounts/linked-modules.ts";
import { findPlace } from "../runtime/mounts/find-place.ts";
import { type ExpectedMount } from "./granted-places.ts";
import { hiddenMounts } from "./hidden-folders.ts";
import type { PrivateFolders } from "./private-folders.ts";
import { SDK_FOLDERS } from "./provided-sdks.ts";
import type { SandboxUser } from "./sandbox-user.ts";
import { socketMounts } from "./socket-mounts.ts";
import type { ReadableCopies } from "./stage.ts";
import { openWritableFolders, type WritableFolder } from "./writable-folders.ts";

export interface Furnished {
  arguments: string[];
  writable: readonly WritableFolder[];
  /** Places in the tool's world, and where what it sees there really lies. */
  seen: readonly (readonly [place: string, source: string])[];
  /** What must be found there once it is mounted. */
  expected: readonly ExpectedMount[];
}

export async function furnish(
  program: Program,
  linked: LinkedModules,
  user: SandboxUser,
  folders: PrivateFolders,
  stage: ReadableCopies,
  hidden: readonly string[],
): Promise<Furnished> {
  const granted = grantedPaths(program.grants, program.storyDir);
  // Before a folder is made, that no link leads elsewhere; and then, which one it is that was made.
  for (const place of granted.write) findIdentity(place);
  const writable = await openWritableFolders(granted.write, user.owner);
  const expected = [
    ...[...granted.read, ...granted.write].map(expectedAt),
    ...linked.folders.map(({ folder, identity }) => ({ place: folder, identity })),
  ];
  const linkedFolders = linked.folders.map(({ folder }) => folder);
  const sources = new Map<string, string>();
  const { storyDir, readFolders } = program;
  for (const path of [storyDir, process.execPath, ...SDK_FOLDERS, ...readFolders, ...linkedFolders, ...granted.read])
    if (!sources.has(path)) sources.set(path, await stage.readable(path));

  const seen = [...sources, ...writable.map(({ place, source }) => [place, source] as const)];
  const copied = new Set(seen.filter(([place, source]) => place !== source).map(([place]) => place));
  const mounts: Mount[] = [
    ...systemMounts(),
    { place: "/tmp", how: "--bind", source: folders.temporary },
    // Not a tmpfs: its files would be memory that nobody counts.
    { place: "/dev/shm", how: "--bind", source: folders.temporary },
    ...[...sources].map(([place, source]): Mount => ({ place, how: "--ro-bind", source })),
    ...linkMounts(linked, [...sources.keys(), ...granted.write]),
    ...hiddenMounts(hidden, [...sources.keys(), ...granted.write]),
    ...writable.map(({ place, source }): Mount => ({ place, how: "--bind", source })),
    { place: folders.assets, how: "--bind", source: folders.assets },
    // Not those in the story: who puts one there wants its tools to use it.
    ...socketMounts(seen.filter(([place]) => [...granted.read, ...granted.write, ...linkedFolders].includes(place))),
  ];
  return {
    arguments: ["--setenv", "NARRATORIA_ASSET_DIR", folders.assets, ...toArguments(mounts)],
    writable,
    seen,
    expected: expected.filter(({ place }) => !copied.has(place)),
  };
}

/** Further links on the way to a linked folder, and what of such a folder stays covered. */
function linkMounts({ folders, links }: LinkedModules, visible: readonly string[]): Mount[] {
  const onTheWay = links.filter(({ says }) => !visible.some((place) => isInside(says, place)));
  const targets = new Map(onTheWay.map(({ says, target }) => [says, target]));
  return [
    ...Array.from(targets, ([place, source]): Mount => ({ place, how: "--symlink", source })),
    ...folders
      .flatMap(({ covered }) => covered)
      .map(({ path: place, isFolder }): Mount =>
        isFolder ? { place, how: "--tmpfs" } : { place, how: "--ro-bind", source: "/dev/null" },
      ),
  ];
}

/** What is not there yet could be anything by the time it is mounted. */
function expectedAt(place: string): ExpectedMount {
  const identity = findIdentity(place);
  if (identity === null) throw new Error(`${place} was granted, and there is nothing`);
  return { place, identity };
}

function findIdentity(place: string): string | null {
  const found = findPlace(place);
  if (found.kind === "refused") throw new Error(found.reason);
  return found.identity;
}
