/**
 * Copies of parts of this clone to where everybody can read them, with the Node that runs the tests: the clone itself
 * may lie in a folder that only root can enter, and some tests start programs as somebody else.
 */
import { execFileSync } from "node:child_process";
import { constants, copyFileSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const CLONE = fileURLToPath(new URL("../../..", import.meta.url));

export interface ReadableCopy extends Disposable {
  path: string;
  /** The Node that runs us, copied too when it is asked for. */
  node(): string;
}

/** `parts`: paths from the clone's root, which they keep in the copy. */
export function makeReadableCopy(parts: readonly string[]): ReadableCopy {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "narratoria-readable-"));
  for (const part of parts) {
    mkdirSync(dirname(join(path, part)), { recursive: true });
    cpSync(join(CLONE, part), join(path, part), { recursive: true, verbatimSymlinks: true });
  }
  execFileSync("chmod", ["-R", "u=rwX,go=rX", path]);
  return {
    path,
    node: () => {
      const node = join(path, "node");
      copyFileSync(process.execPath, node, constants.COPYFILE_FICLONE);
      return node;
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
