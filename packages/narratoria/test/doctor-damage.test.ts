/** `narratoria doctor` on a data folder that somebody changed: a line for each thing that is not as it was written. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { createPlayground } from "./playground.ts";

test("[Z1.4] what was altered or removed in the log is named; an intact one is not", async () => {
  using playground = createPlayground();
  await playground.play(["Listen"], playground.kept);
  expect((await playground.run("doctor")).stdout).not.toContain("Damaged");

  const db = new DatabaseSync(join(playground.data, "narratoria.db"));
  db.exec("UPDATE events SET json = replace(json, 'Listen', 'Whisper') WHERE name = 'turn:start' AND seq > 3");
  const { seq } = db.prepare("SELECT max(seq) AS seq FROM events").get() as { seq: number };
  db.exec(`DELETE FROM events WHERE seq = ${seq}`);
  db.close();

  const { stdout, exitCode } = await playground.run("doctor");
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^Damaged {6}".+" \([0-9a-f-]{8}\): event \d+ is not what was written$/m);
  expect(stdout).toContain(`: after event ${seq - 1} the end is gone\n`);
  expect(stdout).not.toContain("All is well");
  const { damage } = JSON.parse((await playground.run("doctor", "--json")).stdout) as { damage: object[] };
  expect(damage).toMatchObject([{ kind: "altered" }, { kind: "cut", after: seq - 1 }]);
});

test("a file that is no store of ours is said to be none", async () => {
  using playground = createPlayground();
  await playground.play(["Listen"], playground.kept);
  writeFileSync(join(playground.data, "narratoria.db"), "this is no database, whatever its name says".repeat(100));
  const { stdout, stderr, exitCode } = await playground.run("doctor");
  expect([exitCode, stderr]).toEqual([1, ""]);
  expect(stdout).toMatch(/^Sessions {5}.+/m);
});
