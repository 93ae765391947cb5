import {
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findPlace, identityOf } from "./find-place.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-place-")));
  mkdirSync(join(root, "maps"));
  writeFileSync(join(root, "maps/north"), "");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;

/** A link as a tool would leave it, or as the system has it. */
function link(name: string, target: string, owner: number): void {
  symlinkSync(target, join(root, name));
  if (isRoot) lchownSync(join(root, name), owner, owner);
}

test("[Z1.3] a granted place is where it is, and which it is", () => {
  for (const name of ["maps", "maps/north", "maps/../maps"]) {
    const path = join(root, name);
    const identity = identityOf(statSync(path, { bigint: true }));
    expect(findPlace(path)).toEqual({ kind: "place", path, identity });
  }
  expect(identityOf(statSync(root, { bigint: true }))).toMatch(/^\d+ \d+$/);
  expect(findPlace("/")).toMatchObject({ kind: "place", path: "/" });
});

test("[Z1.3] what is not there yet has no identity", () => {
  const path = join(root, "maps/south/coast");
  expect(findPlace(path)).toEqual({ kind: "place", path, identity: null });
});

test("[Z1.3] a link that somebody but root made is refused, wherever on the way it is", () => {
  link("way", join(root, "maps"), 1234);
  for (const name of ["way", "way/north", "way/nothing"]) {
    const path = join(root, name);
    const at = join(root, "way");
    const target = join(root, "maps");
    if (isRoot)
      expect(findPlace(path)).toEqual({
        kind: "refused",
        reason: `${path} was granted, but ${at} is a link to ${target}: grant that place itself`,
      });
    else expect(findPlace(path).kind).toBe("refused");
  }
});

test("[Z1.3] (as root) the system's own links are followed, with what comes behind them, but not for ever", ({
  skip,
}) => {
  skip(!isRoot, "only root makes such links");
  link("way", "maps", 0);
  link("further", "way", 0);
  expect(findPlace(join(root, "further/north"))).toMatchObject({ kind: "place", path: join(root, "maps/north") });
  expect(findPlace(join(root, "way/nothing"))).toEqual({
    kind: "place",
    path: join(root, "maps/nothing"),
    identity: null,
  });
  link("circle", "circle", 0);
  expect(findPlace(join(root, "circle"))).toMatchObject({ kind: "refused" });
  chownSync(join(root, "maps"), 1234, 1234);
  expect(findPlace(join(root, "way")).kind).toBe("place");
});

test("[Z1.3] a socket is nobody to talk to", async () => {
  const path = join(root, "socket");
  const server = createServer().listen(path);
  try {
    await new Promise((listening) => server.once("listening", listening));
    expect(findPlace(path)).toEqual({
      kind: "refused",
      reason: `${path} is a socket: there is nothing to read or write, only somebody to talk to`,
    });
  } finally {
    server.close();
  }
});
