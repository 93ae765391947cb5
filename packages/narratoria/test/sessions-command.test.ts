/** `narratoria sessions`, `trace` and `why`, from outside: what they print and what they refuse. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SessionSummary, TurnRecord } from "../src/runtime/seams/session-service.ts";
import type { SessionView } from "../src/story/session-view.ts";
import { narratoria } from "./narratoria-command.ts";
import { createPlayground, type Playground } from "./playground.ts";

describe("looking", () => {
  test("an empty library", async () => {
    using playground = createPlayground();
    const { exitCode, stdout } = await playground.run("sessions", "list");
    expect([exitCode, stdout]).toEqual([0, "There are no sessions yet. narratoria play begins one.\n"]);
    expect(existsSync(playground.data)).toBe(false);
  });

  test("list and show, as text and as JSON, by id, prefix and title", async () => {
    using playground = createPlayground();
    const session = await playOnce(playground);
    const list = await playground.run("sessions", "list");
    expect(list.stdout).toContain(`${session.sessionId.slice(0, 8)}  The Cellar  2 turns, just now`);
    for (const name of [session.sessionId, session.sessionId.slice(0, 6), "the cellar"]) {
      const view = JSON.parse((await playground.run("sessions", "show", name, "--json")).stdout) as SessionView;
      expect(view).toMatchObject({ sessionId: session.sessionId, state: { lamp: { lit: true } } });
    }
    const shown = await playground.run("sessions", "show", "the cellar");
    expect(shown.stdout).toContain("   1  * Light the lamp  (you are here)");
    expect(shown.stdout).toContain("Now what?");
  });

  test("[R1.1] trace draws every attempt of a turn, and has a JSON form", async () => {
    using playground = createPlayground();
    const { sessionId } = await playOnce(playground);
    const { stdout } = await playground.run("trace", sessionId);
    expect(stdout).toMatch(/^Turn 1, "Light the lamp": completed in /);
    expect(stdout).toMatch(/Plan 1: completed {2}[0-9a-f-]{36}\n {2}lamp1 = lamp: completed, 1 log line\n/);
    expect(stdout).toMatch(/ {4}\| *=+ *\| +\d+ ms {2}completed\n {4}Lit\./);
    const record = JSON.parse((await playground.run("trace", sessionId, "--turn", "1", "--json")).stdout) as TurnRecord;
    expect(record.plans[0]?.result).toMatchObject({ success: true });
    const opening = await playground.run("trace", sessionId, "--turn", "0");
    expect(opening.stdout).toContain("the opening scene");
    const missing = await playground.run("trace", sessionId, "--turn", "7");
    expect([missing.exitCode, missing.stderr]).toEqual([1, "narratoria: there is no turn 7; they go from 0 to 1\n"]);
  });

  test("[S1.4] why", async () => {
    using playground = createPlayground();
    const { sessionId } = await playOnce(playground);
    const told = await playground.run("why", sessionId, "/lamp/lit");
    expect(told.stdout).toBe('/lamp/lit is yes\n  The lamp did it, because you said "Light the lamp".\n');
    const { stdout } = await playground.run("why", sessionId, "/lamp/lit", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      value: true,
      setBy: { toolId: "lamp1", skill: "lamp", attempt: 1 },
      before: [],
    });
    const wrong = await playground.run("why", sessionId, "lamp");
    expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining("lamp is no JSON pointer")]);
  });

  test("an unknown session is a line and exit 1; with --json also an error on stdout", async () => {
    using playground = createPlayground();
    await playOnce(playground);
    for (const args of [
      ["sessions", "show", "x"],
      ["sessions", "undo", "x"],
      ["trace", "x"],
      ["why", "x", "/a"],
    ]) {
      const { exitCode, stdout, stderr } = await playground.run(...args, "--json");
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^narratoria: there is no session "x"; .*\n$/);
      expect(JSON.parse(stdout)).toEqual({ error: { code: "not_found", message: expect.any(String) } });
    }
  });

  test("a file that is no store is said so, and stays as it was", async () => {
    using playground = createPlayground();
    const file = playground.write("data/narratoria.db", "not a database, but somebody's letters\n".repeat(100));
    const before = readFileSync(file);
    for (const args of [
      ["sessions", "list"],
      ["sessions", "undo", "x"],
    ]) {
      const { exitCode, stderr } = await playground.run(...args);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^narratoria: .*narratoria\.db .*\n$/);
    }
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

describe("changing", () => {
  test("undo, fork and end", async () => {
    using playground = createPlayground();
    const { sessionId } = await playOnce(playground);
    const forked = await playground.run("sessions", "fork", sessionId, "--turn", "0", "--title", "Again");
    expect([forked.exitCode, forked.stderr]).toEqual([0, ""]);
    expect((await playground.run("sessions", "undo", sessionId, "--json")).stdout).toContain('"turnCount": 1');
    expect((await playground.run("sessions", "undo", sessionId)).stderr).toContain("there is nothing to undo");
    expect((await playground.run("sessions", "end", "again")).exitCode).toBe(0);
    const sessions = await playground.sessions();
    expect(sessions).toHaveLength(2);
    expect(sessions.find(({ title }) => title === "Again")).toMatchObject({ ended: true, parentSessionId: sessionId });
  });

  test("delete wants the title", async () => {
    using playground = createPlayground();
    const { sessionId } = await playOnce(playground);
    for (const more of [[], ["--yes-delete", "the cellar?"]]) {
      const { exitCode, stderr } = await playground.run("sessions", "delete", sessionId, ...more);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('the session\'s title, "The Cellar"')]);
      expect(await playground.sessions()).toHaveLength(1);
    }
    expect((await playground.run("sessions", "delete", sessionId, "--yes-delete", "The Cellar")).exitCode).toBe(0);
    expect(await playground.sessions()).toEqual([]);
  });

  test("export and import, to a file and through a pipe; no file is written over", async () => {
    using playground = createPlayground();
    const { sessionId } = await playOnce(playground);
    const out = join(playground.root, "evening.narratoria");
    expect((await playground.run("sessions", "export", sessionId, "--out", out)).exitCode).toBe(0);
    const again = await playground.run("sessions", "export", sessionId, "--out", out);
    expect([again.exitCode, again.stderr]).toEqual([1, `narratoria: ${out} is there already\n`]);
    const there = ["--data", join(playground.root, "there")];
    const imported = await narratoria(["sessions", "import", out, "--story", playground.story, ...there]);
    expect([imported.exitCode, imported.stdout]).toEqual([0, `sessionId: ${sessionId}\n`]);
    const played = await playground.play(["/state /lamp", "Leave"], there);
    expect(played.stdout).toContain('"lit": true');
    expect(played.stdout).toContain("~ Gone ~");

    writeFileSync(out, readFileSync(out).subarray(0, -10));
    const damaged = await narratoria(["sessions", "import", out, ...there]);
    expect(damaged.exitCode).toBe(1);
    expect(damaged.stderr).toBe(
      "narratoria: the file was changed or cut short: its hash does not fit. Nothing was changed.\n",
    );
    const missing = await narratoria(["sessions", "import", join(playground.root, "nothing"), ...there]);
    expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining("no such file")]);
  });
});

async function playOnce(playground: Playground): Promise<SessionSummary> {
  await playground.play(["Light the lamp"], playground.kept);
  return (await playground.sessions())[0] as SessionSummary;
}
