/** What people granted, and to what: looked up by `permissions.ts`, kept by a keeper (`stores/grant-file.ts`). */
import { realLocation } from "../mounts/real-location.ts";
import type { Mounted } from "../seams/resolved-tool.ts";
import { changedParts, type ToolParts } from "./tool-content.ts";

export interface GrantBook {
  find(mount: Mounted): KeptGrant | null;
  /** Grants for what the mount was made of before are no longer any. */
  add(mount: Mounted, capabilities: readonly string[], parts: ToolParts): void;
  remove(mount: Mounted, capability: string): boolean;
  isUnconfined(storyDir: string): boolean;
  addUnconfined(storyDir: string): void;
}

/** What a person granted: no longer so when the mount is made of something else. */
export interface KeptGrant {
  /** The story's real folder. */
  readonly story: string;
  readonly mount: string;
  /** Paths among them are real places. */
  readonly capabilities: readonly string[];
  readonly parts: ToolParts;
}

/** Where answers are kept between runs. */
export interface GrantKeeper {
  load(): Kept;
  save(kept: Kept): void;
}

export interface Kept {
  readonly grants: readonly KeptGrant[];
  /** The real folders of the stories whose tools may run below the full sandbox. */
  readonly unconfined: readonly string[];
}

export const NOTHING_KEPT: Kept = { grants: [], unconfined: [] };
export const KEEPS_NO_GRANTS: GrantKeeper = { load: () => NOTHING_KEPT, save: () => {} };

export function openGrantBook(keeper: GrantKeeper): GrantBook {
  let kept = keeper.load();
  const save = (changed: Partial<Kept>): void => {
    kept = { ...kept, ...changed };
    keeper.save(kept);
  };
  const isOf = ({ storyDir, tool }: Mounted): ((grant: KeptGrant) => boolean) => {
    const story = realLocation(storyDir);
    return (grant) => grant.story === story && grant.mount === tool.skill;
  };
  const find = (mount: Mounted): KeptGrant | null => kept.grants.find(isOf(mount)) ?? null;

  function replace(mount: Mounted, capabilities: readonly string[], parts: ToolParts): void {
    const isSame = isOf(mount);
    const others = kept.grants.filter((grant) => !isSame(grant));
    const own = { story: realLocation(mount.storyDir), mount: mount.tool.skill, capabilities, parts };
    save({ grants: capabilities.length === 0 ? others : [...others, own] });
  }

  return {
    find,
    add: (mount, capabilities, parts) => {
      const before = find(mount);
      const still = before !== null && changedParts(before.parts, parts).length === 0 ? before.capabilities : [];
      replace(mount, [...new Set([...still, ...capabilities])], parts);
    },
    remove: (mount, capability) => {
      const before = find(mount);
      if (before === null || !before.capabilities.includes(capability)) return false;
      replace(
        mount,
        before.capabilities.filter((known) => known !== capability),
        before.parts,
      );
      return true;
    },
    isUnconfined: (storyDir) => kept.unconfined.includes(realLocation(storyDir)),
    addUnconfined: (storyDir) => save({ unconfined: [...new Set([...kept.unconfined, realLocation(storyDir)])] }),
  };
}
