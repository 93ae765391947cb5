import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bareTool } from "../mounts/resolve-tool.ts";
import type { Mounted } from "../seams/resolved-tool.ts";
import { KEEPS_NO_GRANTS, NOTHING_KEPT, openGrantBook, type GrantBook, type Kept } from "./grant-book.ts";

const PARTS = { "./run.sh": "1" };

function mount(skill: string, storyDir = "/one"): Mounted {
  return { storyDir, tool: bareTool(`${storyDir}/${skill}`, skill) };
}

/** `saved` is what was kept last, and how often. */
function open(before: Kept = NOTHING_KEPT): { book: GrantBook; saved: Kept[] } {
  const saved: Kept[] = [];
  return { saved, book: openGrantBook({ load: () => before, save: (kept) => void saved.push(kept) }) };
}

test("[Z1.5] grants are kept by story and mount, and add up", () => {
  const { book, saved } = open();
  book.add(mount("lamp"), ["net.fetch"], PARTS);
  book.add(mount("lamp"), ["fs.temp", "net.fetch"], PARTS);
  book.add(mount("lamp", "/two"), ["exec.spawn"], PARTS);
  book.add(mount("bell"), ["fs.temp"], PARTS);
  expect(saved).toHaveLength(4);
  expect(saved.at(-1)).toEqual({
    grants: [
      { story: "/one", mount: "lamp", capabilities: ["net.fetch", "fs.temp"], parts: PARTS },
      { story: "/two", mount: "lamp", capabilities: ["exec.spawn"], parts: PARTS },
      { story: "/one", mount: "bell", capabilities: ["fs.temp"], parts: PARTS },
    ],
    unconfined: [],
  });
  expect(book.find(mount("lamp"))?.capabilities).toEqual(["net.fetch", "fs.temp"]);
  expect(book.find(mount("bell", "/two"))).toBeNull();
});

test("[Z1.5] what it was made of before has no grants any more", () => {
  const { book } = open();
  book.add(mount("lamp"), ["net.fetch"], PARTS);
  const parts = { "./run.sh": "2" };
  book.add(mount("lamp"), ["fs.temp"], parts);
  expect(book.find(mount("lamp"))).toEqual({ story: "/one", mount: "lamp", capabilities: ["fs.temp"], parts });
});

test("[K1.5] taking back one leaves the others; taking back the last leaves nothing", () => {
  const { book, saved } = open();
  book.add(mount("lamp"), ["net.fetch", "fs.temp"], PARTS);
  book.add(mount("bell"), ["net.fetch"], PARTS);
  expect(book.remove(mount("lamp"), "exec.spawn")).toBe(false);
  expect(book.remove(mount("gong"), "net.fetch")).toBe(false);
  expect(saved).toHaveLength(2);
  expect(book.remove(mount("lamp"), "net.fetch")).toBe(true);
  expect(book.find(mount("lamp"))).toMatchObject({ capabilities: ["fs.temp"], parts: PARTS });
  expect(book.remove(mount("lamp"), "fs.temp")).toBe(true);
  expect(saved.at(-1)?.grants.map((grant) => grant.mount)).toEqual(["bell"]);
});

test("[Z1.5] a story may run unconfined once that was said of it, however it is named", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-book-")));
  try {
    symlinkSync(folder, `${folder}-link`);
    const { book, saved } = open({ grants: [], unconfined: ["/before"] });
    expect([book.isUnconfined("/before"), book.isUnconfined(folder)]).toEqual([true, false]);
    book.addUnconfined(`${folder}-link`);
    book.addUnconfined(folder);
    expect(book.isUnconfined(folder)).toBe(true);
    book.add(mount("lamp", `${folder}-link`), ["net.fetch"], PARTS);
    expect(book.find(mount("lamp", folder))?.capabilities).toEqual(["net.fetch"]);
    expect(saved.at(-1)).toMatchObject({ grants: [{ story: folder }], unconfined: ["/before", folder] });
  } finally {
    rmSync(`${folder}-link`);
    rmSync(folder, { recursive: true });
  }
});

test("without a keeper nothing is known, and for this run it is remembered", () => {
  const book = openGrantBook(KEEPS_NO_GRANTS);
  expect(book.find(mount("lamp"))).toBeNull();
  book.add(mount("lamp"), ["net.fetch"], PARTS);
  expect(book.find(mount("lamp"))?.capabilities).toEqual(["net.fetch"]);
  expect(NOTHING_KEPT).toEqual({ grants: [], unconfined: [] });
});
