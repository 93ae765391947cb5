/** Sessions in memory for tests of the server: one story, one log each, and a count of who follows. No turn ever runs. */
import { randomUUID } from "node:crypto";
import type { JsonObject } from "@narratoria/tool/json";
import type { EventReader, Refusal, SessionService } from "../src/runtime/seams/session-service.ts";
import type { ToolDirectory } from "../src/runtime/policy/tool-directory.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import type { SessionView, TurnView } from "../src/story/session-view.ts";

export interface FakeSessions extends SessionService {
  add(): string;
  /** Appends events to a session's log and tells who follows it. */
  append(sessionId: string, ...data: JsonObject[]): void;
  followers(sessionId: string): number;
  assets: Map<string, { file: string; mediaType: string; bytes: number }>;
  /** What was called, with its arguments. */
  calls: unknown[][];
}

interface FakeSession {
  view: SessionView;
  log: NarratoriaEvent[];
  readers: Set<{ deliver: () => void; reader: EventReader }>;
}

export const NO_TOOLS: ToolDirectory = {
  list: () => [],
  grant: (name) => refuse("not_found", `there is no tool ${name}`),
  revoke: (name) => refuse("not_found", `there is no tool ${name}`),
};

export function createFakeSessions(): FakeSessions {
  const sessions = new Map<string, FakeSession>();
  const assets: FakeSessions["assets"] = new Map();
  const calls: unknown[][] = [];

  const withSession = <T>(id: string, use: (session: FakeSession) => T): T | Refusal => {
    const session = sessions.get(id);
    return session === undefined ? refuse("not_found", `there is no session ${id}`) : use(session);
  };
  const viewOf = (id: string): SessionView | Refusal => withSession(id, ({ view }) => view);
  const moved =
    (name: string) =>
    (id: string, ...rest: unknown[]): SessionView | Refusal => {
      calls.push([name, id, ...rest]);
      return viewOf(id);
    };
  const add = (): string => {
    const sessionId = randomUUID();
    sessions.set(sessionId, { view: emptyView(sessionId), log: [], readers: new Set() });
    return sessionId;
  };

  return {
    add,
    assets,
    calls,
    append: (id, ...data) => {
      const { log, readers, view } = sessions.get(id) as FakeSession;
      for (const each of data) log.push(envelope(id, log.length + 1, each));
      view.seq = log.length;
      for (const { deliver } of readers) deliver();
    },
    followers: (id) => sessions.get(id)?.readers.size ?? 0,
    stories: () => [{ dir: "/stories/lamp", title: "The Lamp", author: null, description: null }],
    list: () => [...sessions.values()].map(({ view }) => summaryOf(view)),
    create: (options) => {
      calls.push(["create", options]);
      return Promise.resolve({ sessionId: add() });
    },
    view: viewOf,
    prompt: (id, text, parent) => {
      calls.push(["prompt", id, text, parent]);
      if (text === "while busy") return refuse("conflict", "a turn is running");
      if (text === "a bug") throw new Error("the secret of the stack");
      return withSession(id, () => ({ turnId: "turn-1" }));
    },
    retry: (id) => withSession(id, () => ({ turnId: "turn-2" })),
    undo: (id) => withSession(id, () => refuse("conflict", "there is nothing to undo")),
    moveHead: moved("moveHead"),
    fork: (id) => withSession(id, () => ({ sessionId: add() })),
    cancel: (id) => Promise.resolve(viewOf(id)),
    resume: moved("resume"),
    discard: moved("discard"),
    rename: (id, title) => withSession(id, ({ view }) => Object.assign(view, { title })),
    bookmark: moved("bookmark"),
    enableSkill: moved("enableSkill"),
    getContext: (id, key) => withSession(id, () => ({ key, value: null })),
    setContext: (id, key, value) => withSession(id, () => ({ key, value })),
    end: (id) => withSession(id, ({ view }) => Object.assign(view, { ended: true })),
    remove: (id) =>
      Promise.resolve(
        withSession(id, ({ readers }) => {
          for (const { reader } of readers) reader.closed();
          sessions.delete(id);
          return { removed: true as const };
        }),
      ),
    answer: (id, askId, value) => {
      calls.push(["answer", id, askId, value]);
      return withSession(id, () => ({ answered: true as const }));
    },
    turn: (id, turnId) =>
      withSession(id, ({ view, log }) => {
        const turn = view.turns.find((each) => each.turnId === turnId);
        return turn === undefined ? refuse("not_found", "there is no such turn") : { turn, plans: [], trace: log };
      }),
    stateAt: (id, turnId) => withSession(id, ({ view }) => ({ turnId, state: view.state })),
    tree: (id) => withSession(id, () => []),
    why: (id, path) => withSession(id, () => ({ path, value: null, setBy: null, before: [] })),
    logs: (id, spanId, range) => {
      calls.push(["logs", id, spanId, range]);
      return withSession(id, () => []);
    },
    follow: (id, after, reader) =>
      withSession(id, ({ log, readers }) => {
        let position = after;
        let isPaused = false;
        const deliver = (): void => {
          while (!isPaused && position < log.length) isPaused = !reader.event(log[position++] as NarratoriaEvent);
        };
        const entry = { deliver, reader };
        readers.add(entry);
        deliver();
        return {
          resume: () => {
            isPaused = false;
            deliver();
          },
          close: () => void readers.delete(entry),
        };
      }),
    idle: () => Promise.resolve(),
    asset: (id) => assets.get(id) ?? refuse("not_found", "there is no such asset"),
    export: (id) => withSession(id, ({ view }) => bytesOf(view.title)),
    import: async (file) => {
      let bytes = 0;
      for await (const chunk of file) bytes += chunk.length;
      calls.push(["import", bytes]);
      return bytes === 3 ? refuse("bad_request", "this is not an exported session") : { sessionId: add() };
    },
    close: () => {
      for (const { readers } of sessions.values()) for (const { reader } of readers) reader.closed();
      return Promise.resolve();
    },
  };
}

export function refuse(code: Refusal["code"], message: string): Refusal {
  return { kind: "refused", code, message };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function envelope(sessionId: string, seq: number, data: JsonObject): NarratoriaEvent {
  return { id: `event-${seq}`, ts: seq, event: "tool:event", component: "runner", session_id: sessionId, seq, data };
}

function emptyView(sessionId: string): SessionView {
  return {
    sessionId,
    title: "A walk",
    story: { dir: "/stories/lamp", title: "The Lamp", version: null },
    headTurnId: "turn-0",
    turns: [openingTurn()],
    turnCount: 1,
    state: { torch: { lit: true } },
    choices: [{ label: "Go on" }],
    asks: [],
    bookmarks: {},
    ended: false,
    seq: 0,
  };
}

function openingTurn(): TurnView {
  return {
    turnId: "turn-0",
    parentTurnId: null,
    number: 0,
    prompt: null,
    status: "completed",
    startedAt: 1,
    endedAt: 2,
    passages: [{ kind: "text", text: "It is dark." }],
    plans: [],
    tools: [],
    choices: [{ label: "Go on" }],
    ending: null,
    notice: null,
    takes: ["turn-0"],
  };
}

function summaryOf(view: SessionView): ReturnType<SessionService["list"]>[number] {
  return {
    sessionId: view.sessionId,
    title: view.title,
    storyTitle: view.story.title,
    storyDir: view.story.dir,
    turnCount: view.turnCount,
    createdAt: 1,
    updatedAt: 2,
    ended: view.ended,
    parentSessionId: null,
    forkTurnId: null,
    excerpt: "It is dark.",
  };
}
