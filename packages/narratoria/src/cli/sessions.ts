/** `narratoria sessions ...`: what is kept, looked at and changed from outside a game. */
import { createReadStream, createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { pipeline } from "node:stream/promises";
import { dataFolder } from "../data.ts";
import {
  isRefusal,
  type NamedSession,
  type Refusal,
  type Removed,
  type SessionService,
  type SessionSummary,
} from "../index.ts";
import { findSession } from "./find-session.ts";
import { openOrComplain, readOrComplain, storiesWith } from "./open-or-complain.ts";
import { printDocument } from "./print-json.ts";
import { renderTree } from "./render-tree.ts";
import { createStoryPrinter } from "./story-printer.ts";
import { complain, FAILURE, remark } from "./say.ts";
import { createTerminal } from "./terminal.ts";
import { clean, cleanLine } from "./terminal-text.ts";
import { wordsForTime } from "./words.ts";

export interface SessionsCommandOptions {
  data?: string;
  json?: boolean;
  /** `fork`: the turn's number in the tree. */
  turn?: string;
  title?: string;
  out?: string;
  yesDelete?: string;
  /** `delete`: nothing is asked. */
  yes?: boolean;
  /** `delete`: also those that were forked from it, and what would stay for them. */
  purge?: boolean;
  /** `import`: where the session's story lies here. */
  story?: string;
}

const terminal = createTerminal(process.stdout);

export function listSessions(options: SessionsCommandOptions): Promise<number> {
  return reading(options, async (sessions) => {
    const list = await sessions.list();
    if (options.json) return print(list);
    if (list.length === 0) terminal.line("There are no sessions yet. narratoria play begins one.");
    for (const session of list) {
      const { sessionId, title, turnCount, updatedAt, ended, excerpt } = session;
      const facts = [
        `${turnCount} ${turnCount === 1 ? "turn" : "turns"}`,
        wordsForTime(updatedAt),
        ...(ended ? ["ended"] : []),
      ];
      const { bold, dim } = terminal.style;
      terminal.line(`${dim(sessionId.slice(0, 8))}  ${bold(cleanLine(title, 50))}  ${facts.join(", ")}`);
      if (excerpt !== "") terminal.line(`          ${terminal.style.dim(cleanLine(excerpt, terminal.columns() - 10))}`);
    }
    return 0;
  });
}

export function showSession(name: string, options: SessionsCommandOptions): Promise<number> {
  return reading(options, async (sessions) => {
    const session = await named(sessions, name);
    const view = isRefusal(session) ? session : await sessions.view(session.sessionId);
    if (isRefusal(view)) return refuse(view, options);
    if (options.json) return print(view);
    const tree = await sessions.tree(view.sessionId);
    if (isRefusal(tree)) return refuse(tree, options);
    const printer = createStoryPrinter(terminal, async ({ id }) => {
      const asset = id === null ? null : await sessions.asset(id);
      return asset === null || isRefusal(asset) ? null : asset.file;
    });
    printer.title(view);
    const fork =
      isRefusal(session) || session.parentSessionId === null
        ? ""
        : `, a fork of ${session.parentSessionId.slice(0, 8)}`;
    terminal.line(`${view.sessionId}${fork}${view.ended ? ", ended" : ""}`);
    terminal.lines([terminal.style.dim(clean(view.story.dir)), "", ...renderTree(tree, view.headTurnId, terminal), ""]);
    await printer.recap(view);
    return 0;
  });
}

export function forkSession(name: string, options: SessionsCommandOptions): Promise<number> {
  return changing(name, options, async (sessions, { sessionId }) => {
    const tree = await sessions.tree(sessionId);
    const view = await sessions.view(sessionId);
    if (isRefusal(tree)) return tree;
    if (isRefusal(view)) return view;
    const turnId = options.turn === undefined ? view.headTurnId : (tree[Number(options.turn)]?.turnId ?? null);
    if (turnId === null) {
      return {
        kind: "refused",
        code: "not_found",
        message: "there is no such turn; sessions show lists them with numbers",
      };
    }
    return sessions.fork(sessionId, turnId, options.title);
  });
}

export function undoTurn(name: string, options: SessionsCommandOptions): Promise<number> {
  return changing(name, options, async (sessions, { sessionId }) => {
    const view = await sessions.undo(sessionId);
    return isRefusal(view) ? view : { sessionId, headTurnId: view.headTurnId, turnCount: view.turnCount };
  });
}

export function endSession(name: string, options: SessionsCommandOptions): Promise<number> {
  return changing(name, options, async (sessions, { sessionId }) => {
    const view = await sessions.end(sessionId, "ended from the command line");
    return isRefusal(view) ? view : { sessionId, ended: true };
  });
}

export function deleteSession(name: string, options: SessionsCommandOptions): Promise<number> {
  const isPurge = options.purge === true;
  const change = async (sessions: SessionService, { sessionId, title }: NamedSession): Promise<object> => {
    const forks = await sessions.forksOf(sessionId);
    if (isRefusal(forks)) return forks;
    if (options.yes !== true) {
      const typed = options.yesDelete ?? (await askForTitle(title, isPurge ? forks : []));
      if (typed?.trim() !== title.trim()) {
        const wanted = `the session's title, ${JSON.stringify(title)}, typed or as --yes-delete, or --yes`;
        const also = isPurge && forks.length > 0 ? ` ${listed(forks)} would go on without the turns before.` : "";
        return { kind: "refused", code: "bad_request", message: `nothing was deleted: that needs ${wanted}.${also}` };
      }
    }
    const removed = await sessions.remove(sessionId, isPurge);
    if (isRefusal(removed) || options.json) return isRefusal(removed) ? removed : { sessionId, ...removed };
    return { sessionId, removed: true, ...wordsForRemoval(sessionId, removed) };
  };
  return changing(name, options, change, isPurge ? namedOrHidden : named);
}

function wordsForRemoval(sessionId: string, { kept, shortened }: Removed): { [about: string]: string } {
  if (kept !== null) {
    const turns = `${kept.turns} ${kept.turns === 1 ? "turn" : "turns"}`;
    const cure = `narratoria sessions delete ${sessionId} --purge deletes them too`;
    return { stays: `${turns}, hidden, because ${listed(kept.neededBy)} began with them; ${cure}` };
  }
  return shortened.length === 0 ? {} : { "goes on without its beginning": listed(shortened) };
}

function listed(sessions: readonly NamedSession[]): string {
  return sessions.map(({ sessionId, title }) => `"${cleanLine(title, 50)}" (${sessionId.slice(0, 8)})`).join(", ");
}

export function exportToFile(name: string, options: SessionsCommandOptions): Promise<number> {
  return reading(options, async (sessions) => {
    const session = await named(sessions, name);
    const file = isRefusal(session) ? session : await sessions.export(session.sessionId);
    if (isRefusal(file)) return refuse(file, options);
    if (options.out === undefined && process.stdout.isTTY) {
      return refuse({ kind: "refused", code: "bad_request", message: "say where to: --out FILE, or > FILE" }, options);
    }
    if (options.out === undefined) {
      await pipeline(file, process.stdout, { end: false });
      return 0;
    }
    try {
      // Never over something that is there: an older export may be the only copy.
      await pipeline(file, createWriteStream(options.out, { flags: "wx" }));
    } catch (error) {
      const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
      if (!isThere) await rm(options.out, { force: true });
      const message = isThere
        ? `${options.out} is there already`
        : `cannot write ${options.out}: ${(error as Error).message}`;
      return refuse({ kind: "refused", code: "conflict", message }, options);
    }
    if (options.json) return print({ file: options.out });
    terminal.line(`Exported to ${options.out}`);
    return 0;
  });
}

export async function importFromFile(file: string, options: SessionsCommandOptions): Promise<number> {
  const host = await openOrComplain({
    dataDir: dataFolder(options.data),
    ...storiesWith(options.story),
    sandbox: "none",
  });
  if (host === null) return FAILURE;
  const { sessions } = host;
  try {
    const imported = await sessions.import(createReadStream(file), options.story);
    if (isRefusal(imported)) return await refuse(imported, options);
    if (options.story === undefined)
      remark("It can be read; to play it on, import it with --story DIR, the story on this machine.");
    return await report(imported, options);
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    return await refuse(
      { kind: "refused", code: "bad_request", message: `cannot read ${file}: ${error.message}` },
      options,
    );
  } finally {
    await sessions.close();
  }
}

async function reading(
  options: SessionsCommandOptions,
  use: (sessions: SessionService) => Promise<number>,
): Promise<number> {
  const sessions = await readOrComplain(dataFolder(options.data));
  if (sessions === null) return FAILURE;
  try {
    return await use(sessions);
  } finally {
    await sessions.close();
  }
}

async function changing(
  name: string,
  options: SessionsCommandOptions,
  change: (sessions: SessionService, session: NamedSession) => Promise<object>,
  find: (sessions: SessionService, name: string) => Promise<NamedSession | Refusal> = named,
): Promise<number> {
  const host = await openOrComplain({ dataDir: dataFolder(options.data), sandbox: "none" });
  if (host === null) return FAILURE;
  const { sessions } = host;
  try {
    const session = await find(sessions, name);
    const changed = isRefusal(session) ? session : await change(sessions, session);
    return await (isRefusal(changed) ? refuse(changed, options) : report(changed, options));
  } finally {
    await sessions.close();
  }
}

export async function named(sessions: SessionService, name: string): Promise<SessionSummary | Refusal> {
  const found = findSession(await sessions.list(), name);
  return found.kind === "session" ? found.session : { kind: "refused", code: "not_found", message: found.message };
}

/** What was deleted before is in no list; who was told its id may still purge it. */
async function namedOrHidden(sessions: SessionService, name: string): Promise<NamedSession | Refusal> {
  const found = await named(sessions, name);
  const isHidden = isRefusal(found) && !isRefusal(await sessions.forksOf(name));
  return isHidden ? { sessionId: name, title: name } : found;
}

export async function refuse({ code, message }: Refusal, options: { json?: boolean }): Promise<number> {
  complain(message);
  if (options.json) await printDocument({ error: { code, message } }, "indented");
  return FAILURE;
}

async function report(changed: object, options: SessionsCommandOptions): Promise<number> {
  if (options.json) return print(changed);
  for (const [key, value] of Object.entries(changed)) terminal.line(`${key}: ${cleanLine(String(value))}`);
  return 0;
}

async function print(value: object): Promise<number> {
  await printDocument(value, "indented");
  return 0;
}

async function askForTitle(title: string, also: readonly NamedSession[]): Promise<string | null> {
  if (!process.stdin.isTTY) return null;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const what = also.length === 0 ? "" : ` ${listed(also)} will go on without the turns before.`;
  try {
    return await reader.question(
      `This deletes the story for good.${what} Type its title, ${cleanLine(title)}, to go on: `,
    );
  } finally {
    reader.close();
  }
}
