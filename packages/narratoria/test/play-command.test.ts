/** `narratoria play` as scripts use it: the default story to its endings with the real tools, and everything around. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMAND_NAMES } from "../src/cli/play-commands.ts";
import { eventSchema, type NarratoriaEvent } from "../src/story/event.ts";
import { STORY_DIR } from "./default-story.ts";
import { narratoria } from "./narratoria-command.ts";
import { createPlayground } from "./playground.ts";
import { eventsNamed } from "./scripted-host.ts";

const WALKTHROUGHS = join(STORY_DIR, "walkthroughs");
const ENDINGS: { readonly [file: string]: string } = {
  "all-up-typed.txt": "All Up",
  "all-up.txt": "All Up",
  "as-minuted.txt": "As Minuted",
  "no-one-yet.txt": "No One Yet",
  "no-one.txt": "No One",
  "put-out.txt": "Put Out",
};
// oxlint-disable-next-line no-control-regex -- escapes are what must not be there.
const ESCAPES = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

describe("the default story, played by script with its real tools", () => {
  test("every walkthrough has an ending here", () => {
    expect(readdirSync(WALKTHROUGHS).toSorted()).toEqual(Object.keys(ENDINGS));
  });

  test.each(Object.entries(ENDINGS))("%s ends in %s", { timeout: 60_000 }, async (file, ending) => {
    const { exitCode, stdout, stderr } = await narratoria(["play", "--script", join(WALKTHROUGHS, file)]);
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`~ ${ending} ~`);
    expect(stdout).not.toMatch(ESCAPES);
    expect(Math.max(...proseOf(stdout).map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test("[K1.1] --json prints the events of the session and nothing else", { timeout: 60_000 }, async () => {
    const script = join(WALKTHROUGHS, "no-one-yet.txt");
    const { exitCode, stdout } = await narratoria(["play", "--script", script, "--json"]);
    expect(exitCode).toBe(0);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as NarratoriaEvent);
    for (const event of events) expect(eventSchema.safeParse(event).error).toBeUndefined();
    expect(events[0]?.event).toBe("session:start");
    const numbers = events.map(({ seq }) => seq ?? 0);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    const prompts = eventsNamed(events, "turn:start").map(({ data }) => data.prompt);
    expect(prompts).toEqual(["", ...readFileSync(script, "utf8").trim().split("\n")]);
    expect(events.at(-1)).toMatchObject({ event: "turn:end", data: { ending: "No One Yet" } });
  });
});

describe("a terminal's text", () => {
  test("choices are chosen by number, comments and blank lines are no prompts", async () => {
    using playground = createPlayground();
    const { stdout, exitCode } = await playground.play(["# a comment", "", "2"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("> 2");
    expect(stdout).toContain("You listen.");
    expect(stdout).not.toContain("a comment");
  });

  test("what a tool did shows: what changed, what it made, what went wrong", async () => {
    using playground = createPlayground();
    const { stdout } = await playground.play(["Light the lamp"]);
    expect(stdout).toContain("  (lamp)\n");
    expect(stdout).toContain("  [lamp lit: no -> yes]");
    expect(stdout).toContain("  ! lamp: It smokes.");
    expect(stdout).toMatch(/ {2}\[image picture, 2 x 3\]\n {2}\/.+\/assets\/[0-9a-f]{2}\/[0-9a-f]{64}\n/);
    expect(stdout).toContain("[image wrong: not shown, it says image/png but its bytes are not]");
  });

  test("nothing that a story or a tool wrote steers the terminal", async () => {
    using playground = createPlayground();
    const { stdout } = await playground.play(["Read the sign", "/state", "/why /sign/text", "/tree"]);
    expect(stdout).not.toMatch(ESCAPES);
    expect(stdout).toContain("The sign says: red");
    expect(stdout).toContain("[text: evil text]");
    expect(stdout).not.toContain("]0;title");
    expect(stdout).not.toContain("\u202e");
  });

  test("a story with errors lists each with its file and line", async () => {
    using playground = createPlayground();
    playground.write("story/story.json", "{\n  oops\n}");
    playground.write("story/story.ink", "Hello.\n* [Go] # tool: x no-such-tool\n  -> nowhere\n");
    const { exitCode, stdout, stderr } = await playground.play([]);
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("this story has errors");
    expect(stderr).toMatch(/story\.json:\d/);
    expect(stderr).toMatch(/story\.ink:\d/);
  });

  test.each([
    [["--session", "nobody"], 'there is no session "nobody"'],
    [["--policy", "no-such-file.json"], "no-such-file.json"],
    [["--story", "/no/such/folder"], "there is no story folder"],
  ])("%j is refused in a line", async (more, message) => {
    using playground = createPlayground();
    const { exitCode, stderr } = await playground.play([], [...playground.kept, ...more]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
  });

  test("a script that is not there", async () => {
    const { exitCode, stderr } = await narratoria(["play", "--script", "no-such-script.txt"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("no-such-script.txt");
  });

  test("a refused prompt, and a command that there is not, make it exit 1 after the last line", async () => {
    using playground = createPlayground();
    const { exitCode, stdout } = await playground.play(["/dance", "/undo", "Listen"]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("there is no /dance");
    expect(stdout).toContain("this is the beginning: there is nothing to undo");
    expect(stdout).toContain("You listen.");
  });
});

test("docs/play.md names every slash command, and no other", () => {
  const page = readFileSync(new URL("../../../docs/play.md", import.meta.url), "utf8");
  const table = page.split("\n").filter((line) => line.startsWith("| `/"));
  const named = table.flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`(\/\w+)/g)].map(([, name]) => name));
  expect(new Set(named)).toEqual(new Set(COMMAND_NAMES));
});

test("an interrupted script ends its turn and says so", async () => {
  using playground = createPlayground();
  const { exitCode, stdout } = await playground.play(["Wait long", "Listen"], [], {
    onLine: (line, command) => line === "  (sleeper)" && command.interrupt(),
  });
  expect(exitCode).toBe(1);
  expect(stdout).toContain("You stopped this turn.");
  expect(stdout).not.toContain("You listen.");
});

describe("one story over many evenings", () => {
  test("[K1.3] play goes on where the player was", async () => {
    using playground = createPlayground();
    await playground.play(["Light the lamp"], playground.kept);
    const second = await playground.play(["/state /lamp"], playground.kept);
    expect(second.stdout).toContain("You are at turn 1.");
    expect(second.stdout).toContain("> Light the lamp");
    expect(second.stdout).toContain('"lit": true');
    const other = await playground.play(["/new", "/state /lamp"], playground.kept);
    expect(other.stdout).toContain('"lit": false');
    expect(await playground.sessions()).toHaveLength(2);
  });

  test("/undo, /go, /retry, /fork, /bookmark, /tree and /why", async () => {
    using playground = createPlayground();
    const { stdout, exitCode } = await playground.play(
      [
        "Light the lamp",
        "/undo",
        "/state /lamp",
        "Listen",
        "/bookmark quiet",
        "/tree",
        "/go 1",
        "/why /lamp/lit",
        "/fork Two",
      ],
      playground.kept,
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Back at turn 0.");
    expect(stdout).toContain('"lit": false');
    const tree = ["   0  * the beginning", "   1     - Light the lamp", '   2  * Listen  ("quiet", you are here)'];
    expect(stdout).toContain(tree.join("\n"));
    expect(stdout).toContain("/lamp/lit is yes");
    expect(stdout).toContain('The lamp did it, because you said "Light the lamp".');
    expect(stdout).toContain("\nTwo\n---\n");
    const again = await playground.play(["/retry", "/tree"], [...playground.kept, "--session", "two"]);
    expect(again.stdout).toContain("   1     - Light the lamp");
    expect(again.stdout).toContain("   2  * Light the lamp  (you are here)");
  });

  test("[Z1.4] a second host on the same data is refused, commands that read are not", async () => {
    using playground = createPlayground();
    await playground.play(["Listen"], playground.kept);
    await using host = await playground.host();
    const second = await playground.play([], playground.kept);
    expect(second.exitCode).toBe(1);
    expect(second.stderr).toMatch(/^narratoria: another Narratoria is using /);
    expect(await playground.sessions()).toEqual([expect.objectContaining({ turnCount: 2 })]);
    expect(await host.list()).toHaveLength(1);
  });
});

/** Paths are for copying, and are not wrapped. */
function proseOf(stdout: string): string[] {
  return stdout.split("\n").filter((line) => !line.startsWith("  /"));
}
