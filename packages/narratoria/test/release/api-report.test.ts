/** Every public name of every entry, with its declaration, is in `api/`: whoever changes one sees it in the diff. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { INSTALL_MS, installedPackages } from "../installed-packages.ts";

const KEPT = resolve(import.meta.dirname, "../../../../api");
let made: string;
beforeAll(async () => {
  made = (await installedPackages()).api;
}, INSTALL_MS);

test("api/ is what `npm run api` writes", () => {
  const names = reportsIn(KEPT);
  expect(names).toEqual(reportsIn(made));
  expect(names).toContain("narratoria/index.api.md");
  for (const name of names) expect(read(KEPT, name), `${name}: npm run api writes it anew`).toBe(read(made, name));
});

function reportsIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return entries.filter((name) => name.endsWith(".api.md")).toSorted();
}

function read(folder: string, name: string): string {
  return readFileSync(join(folder, name), "utf8");
}
