import { describe, expect, test } from "vitest";
import { grantedPaths, mayUseNetwork } from "./granted.ts";

describe("[K1.5] granted paths", () => {
  test("by capability, relative ones from the story", () => {
    const grants = ["fs.read:/srv/maps", "fs.write:saves", "fs.read", "net.fetch", "fs.readable:/x"];
    expect(grantedPaths(grants, "/story")).toEqual({ read: ["/srv/maps"], write: ["/story/saves"] });
  });

  test("what lies below a writable folder is not mounted by itself: the tool could have made it a link", () => {
    const grants = ["fs.write:/srv/out", "fs.read:/srv/out/link", "fs.write:/srv/out/deep", "fs.read:/srv/outer"];
    expect(grantedPaths(grants, "/story")).toEqual({ read: ["/srv/outer"], write: ["/srv/out"] });
  });
});

test("[Z1.3] the network: all or nothing", () => {
  const network = (...grants: string[]): boolean => mayUseNetwork(grants);
  expect([network("net.fetch"), network("net.fetch:example.org")]).toEqual([true, true]);
  expect([network(), network("net.bind"), network("net.fetcher")]).toEqual([false, false, false]);
});
