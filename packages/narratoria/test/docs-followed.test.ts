/**
 * README and docs, followed word for word and in their order: in an empty folder outside the clone, with the packages as
 * they are published, and in the clone. Files are written as they are named, commands run as a shell runs them.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INSTALL_MS, installedPackages } from "./installed-packages.ts";
import { readSnippets, ROOT, type Snippet } from "./read-markdown.ts";

/** In the order in which somebody would read them: what a page begins, a later one goes on with. */
const PAGES = [
  "README.md",
  "docs/play.md",
  "docs/write-a-story.md",
  "docs/write-a-tool.md",
  "docs/python-tools.md",
  "docs/modules.md",
  "docs/find-out-why.md",
  "docs/embed.md",
  "docs/add-ons.md",
  "docs/backup.md",
  "docs/doctor.md",
];

/** What no test can follow, as the pages themselves say above it. */
const NOT_RUN = ["not run: it needs a network", "not run: the app must be running"];
/** `npm test` is what runs this. */
const NOT_AGAIN = ["npm test"];

const PLACES = ["an empty folder outside the clone", "the clone"] as const;

describe.each(PLACES)("in %s", (place) => {
  let folder: string;
  let home: string;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "narratoria-reader-"));
    folder = place === "the clone" ? makeFolderInClone() : await makeFolderOutside();
  }, INSTALL_MS);
  afterAll(() => {
    for (const made of [home, folder]) rmSync(made, { recursive: true, force: true });
  });

  test.each(PAGES)(
    "%s works as it is written",
    async (page) => {
      const here = join(folder, page.replaceAll(/\W/g, "-"));
      mkdirSync(here);
      const snippets = readSnippets(page).filter(({ remark }) => remark === null || !NOT_RUN.includes(remark));
      for (const [index, snippet] of snippets.entries()) {
        if (snippet.file !== null) writeSnippet(here, snippet.file, snippet.text);
        else if (snippet.language === "sh" && (snippet.remark !== "in the clone" || place === "the clone")) {
          for (const command of commandsOf(snippet)) await follow(command, snippets.slice(index + 1), here, home);
        }
      }
    },
    300_000,
  );
});

test("no page that has something to run is left out", () => {
  const pages = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
  const hasCommands = (page: string): boolean => readSnippets(page).some(({ language }) => language === "sh");
  const wanted = pages.map((name) => `docs/${name}`).filter(hasCommands);
  expect(wanted.filter((page) => !PAGES.includes(page))).toEqual([]);
});

test("whatever a page says above a snippet is known here", () => {
  const remarks = PAGES.flatMap((page) => readSnippets(page).map(({ remark }) => remark));
  expect(new Set(remarks)).toEqual(new Set([null, "in the clone", ...NOT_RUN]));
});

function makeFolderInClone(): string {
  mkdirSync(join(ROOT, ".narratoria"), { recursive: true });
  return mkdtempSync(join(ROOT, ".narratoria/docs-"));
}

async function makeFolderOutside(): Promise<string> {
  const { folder } = await installedPackages();
  const own = mkdtempSync(join(tmpdir(), "narratoria-followed-"));
  cpSync(folder, own, { recursive: true, verbatimSymlinks: true });
  return own;
}

function writeSnippet(here: string, file: string, text: string): void {
  mkdirSync(dirname(join(here, file)), { recursive: true });
  writeFileSync(join(here, file), text);
}

/** Each with its comment taken off. */
function commandsOf({ text }: Snippet): string[] {
  const lines = text.split("\n").map((line) => line.replace(/\s+#.*$/, "").trim());
  return lines.filter((line) => line !== "" && !NOT_AGAIN.includes(line));
}

async function follow(command: string, rest: readonly Snippet[], here: string, home: string): Promise<void> {
  const isServing = /^npm start\b|^npx narratoria(?: serve\b| --|$)/.test(command);
  const played = /^npx narratoria play\b/.test(command) ? (rest.find(isPlayed)?.text ?? "") : "";
  const child = spawn("sh", ["-c", command], { cwd: here, env: environment(home), detached: true });
  let stdout = "";
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    // Whoever has seen enough of the app presses Ctrl+C.
    if (isServing && /http:\/\/127\.0\.0\.1:\d+\//.test(stdout) && child.pid !== undefined) {
      process.kill(-child.pid, "SIGINT");
    }
  });
  const typed = played.split("\n").filter((line) => line.startsWith("> "));
  child.stdin.on("error", () => {}).end(typed.map((line) => `${line.slice(2)}\n`).join(""));
  const [exitCode] = (await once(child, "close")) as [number | null];
  const said = `${command}\n${stdout}${stderr}`;
  if (isServing) expect(stdout, said).toMatch(/http:\/\/127\.0\.0\.1:\d+\//);
  else expect(exitCode, said).toBe(0);
  const shown = played.split("\n").filter((line) => line !== "" && !line.startsWith("> "));
  for (const line of shown) expect(unwrapped(stdout)).toContain(unwrapped(asItIs(line, home)));
}

function isPlayed({ language, text }: Snippet): boolean {
  return language === "play" || (language === "" && /^> /m.test(text));
}

/** In the reader's own home, and without what is left out at the end. */
function asItIs(line: string, home: string): string {
  return line.replace("/home/you", home).replace(/\.\.\.$/, "");
}

/** A terminal breaks lines where it likes. */
function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function environment(home: string): NodeJS.ProcessEnv {
  // Nothing comes from the registry: what is not in the packages or the clone is not there.
  const npm = { npm_config_offline: "true", npm_config_update_notifier: "false", npm_config_cache: join(home, ".npm") };
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  return { PATH, HOME: home, LANG: process.env["LANG"], NARRATORIA_NO_INSTALL: "1", ...npm };
}
