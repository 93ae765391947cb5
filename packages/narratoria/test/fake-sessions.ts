/** Sessions in memory for tests of the server: one story, one log each, and a count of who follows. No turn ever runs. */
import { randomUUID } from "node:crypto";
import type { Json } from "@narratoria/tool/json";
import type {
  KeptAsset,
  Refusal,
  SessionService,
  SessionSummary,
  StreamedEvent,
  StreamReader,
  TurnRecord,
} from "../src/runtime/seams/session-service.ts";
import type { ToolDirectory } from "../src/runtime/policy/tool-directory.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import type { SessionView, TurnView } from "../src/story/session-view.ts";

export interface FakeSessions extends SessionService {
  add(): string;
  /** Appends log lines to a session's log and tells who follows it. */
  append(sessionId: string, ...messages: string[]): void;
  followers(sessionId: string): number;
  /** How many events were handed to followers. */
  taken(sessionId: string): number;
  assets: Map<string, KeptAsset>;
  /** What was called, with its arguments. */
  calls: unknown[][];
}

interface FakeSession {
  view: SessionView;
  log: StreamedEvent[];
  readers: Set<{ deliver: () => void; reader: StreamReader }>;
  taken: number;
  context: Map<string, Json>;
}

export const NO_TOOLS: ToolDirectory = {
  list: async () => [],
  grant: async ({ name }) => refuse("not_found", `there is no tool ${name}`),
  revoke: async ({ name }) => refuse("not_found", `there is no tool ${name}`),
};

export function createFakeSessions(): FakeSessions {
  const sessions = new Map<string, FakeSession>();
  const assets: FakeSessions["assets"] = new Map();
  const calls: unknown[][] = [];

  const withSession = <T>(id: string, use: (session: FakeSession) => T): T | Refusal => {
    const session = sessions.get(id);
    return session === undefined ? refuse("not_found", `there is no session ${id}`) : use(session);
  };
  const viewOf = async (id: string): Promise<SessionView | Refusal> => withSession(id, ({ view }) => view);
  const moved =
    (name: string) =>
    (id: string, ...rest: unknown[]): Promise<SessionView | Refusal> => {
      calls.push([name, id, ...rest]);
      return viewOf(id);
    };
  const add = (): string => {
    const sessionId = randomUUID();
    sessions.set(sessionId, { view: emptyView(sessionId), log: [], readers: new Set(), taken: 0, context: new Map() });
    return sessionId;
  };

  return {
    add,
    assets,
    calls,
    append: (id, ...messages) => {
      const { log, readers, view } = sessions.get(id) as FakeSession;
      for (const message of messages) log.push(streamed(logLine(id, log.length + 1, message)));
      view.seq = log.length;
      for (const { deliver } of readers) deliver();
    },
    followers: (id) => sessions.get(id)?.readers.size ?? 0,
    taken: (id) => sessions.get(id)?.taken ?? 0,
    stories: async () => [{ dir: "/stories/lamp", title: "The Lamp", author: null, description: null }],
    list: async () => [...sessions.values()].map(({ view }) => summaryOf(view)),
    create: async (options) => {
      calls.push(["create", options]);
      return { sessionId: add() };
    },
    view: viewOf,
    prompt: async (id, text, { parentTurnId: parent } = {}) => {
      calls.push(["prompt", id, text, parent]);
      if (text === "while busy") return refuse("conflict", "a turn is running");
      if (text === "a bug") throw new Error("the secret of the stack");
      return withSession(id, () => ({ turnId: "turn-1" }));
    },
    retry: async (id) => withSession(id, () => ({ turnId: "turn-2" })),
    undo: async (id) => withSession(id, () => refuse("conflict", "there is nothing to undo")),
    moveHead: moved("moveHead"),
    fork: async (id) => withSession(id, () => ({ sessionId: add() })),
    cancel: viewOf,
    resume: moved("resume"),
    discard: moved("discard"),
    rename: async (id, title) => withSession(id, ({ view }) => Object.assign(view, { title })),
    bookmark: moved("bookmark"),
    enableSkill: moved("enableSkill"),
    getContext: async (id, key) => withSession(id, ({ context }) => ({ key, value: context.get(key) ?? null })),
    setContext: async (id, key, value) =>
      withSession(id, ({ context }) => {
        context.set(key, value);
        return { key, value };
      }),
    end: async (id) => withSession(id, ({ view }) => Object.assign(view, { ended: true })),
    remove: async (id) =>
      withSession(id, ({ readers }) => {
        for (const { reader } of readers) reader.closed();
        sessions.delete(id);
        return { removed: true as const, kept: null, shortened: [] };
      }),
    forksOf: async (id) => withSession(id, () => []),
    answer: async (id, askId, value) => {
      calls.push(["answer", id, askId, value]);
      return withSession(id, () => ({ answered: true as const }));
    },
    turn: async (id, turnId) =>
      withSession(id, ({ view, log }) => {
        const turn = view.turns.find((each) => each.turnId === turnId);
        return turn === undefined ? refuse("not_found", "there is no such turn") : recordOf(turn, log);
      }),
    turnEnded: async (id, turnId) =>
      withSession(id, ({ view }) => {
        const turn = view.turns.find((each) => each.turnId === turnId);
        return turn?.status ?? refuse("not_found", "there is no such turn");
      }),
    stateAt: async (id, turnId) => withSession(id, ({ view }) => ({ turnId, state: view.state })),
    tree: async (id) => withSession(id, () => []),
    why: async (id, path) => withSession(id, () => ({ path, value: null, setBy: null, before: [] })),
    logs: async (id, spanId, range) => {
      calls.push(["logs", id, spanId, range]);
      return withSession(id, () => []);
    },
    follow: async (id, after, reader) =>
      withSession(id, (session) => {
        const { log, readers } = session;
        // A number that was never given is of another life of the log.
        let position = after > log.length ? 0 : after;
        let isPaused = false;
        const deliver = (): void => {
          for (let next = log[position]; !isPaused && next !== undefined; next = log[position]) {
            position++;
            session.taken++;
            isPaused = !reader.take(next);
          }
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
    idle: async () => {},
    asset: async (id) => assets.get(id) ?? refuse("not_found", "there is no such asset"),
    export: async (id) => withSession(id, ({ view }) => bytesOf(view.title)),
    import: async (file) => {
      let bytes = 0;
      for await (const chunk of file) bytes += chunk.length;
      calls.push(["import", bytes]);
      return bytes === 3 ? refuse("bad_request", "this is not an exported session") : { sessionId: add() };
    },
    close: async () => {
      for (const { readers } of sessions.values()) for (const { reader } of readers) reader.closed();
    },
  };
}

export function refuse(code: Refusal["code"], message: string): Refusal {
  return { kind: "refused", code, message };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function logLine(sessionId: string, seq: number, message: string): NarratoriaEvent {
  const data = { toolId: "tool", event: { version: "0", type: "log", level: "info", message } } as const;
  return { id: `event-${seq}`, ts: seq, event: "tool:event", component: "runner", session_id: sessionId, seq, data };
}

function streamed(event: NarratoriaEvent): StreamedEvent {
  return { seq: event.seq ?? 0, json: JSON.stringify(event), event: () => event };
}

function recordOf(turn: TurnView, log: readonly StreamedEvent[]): TurnRecord {
  return { turn, plans: [], trace: log.map(({ event }) => event()) };
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
    choices: [{ id: "go-on", label: "Go on" }],
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
    choices: [{ id: "go-on", label: "Go on" }],
    ending: null,
    notice: null,
    takes: ["turn-0"],
  };
}

function summaryOf(view: SessionView): SessionSummary {
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
