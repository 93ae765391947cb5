import { expect, test } from "vitest";
import { logged, numbered, turnEnd } from "../../../test/told-events.ts";
import type { EventOf, NarratoriaEvent } from "../../story/event.ts";
import { atOnce } from "../execution/slices.ts";
import { DamagedLog } from "../seams/disk-trouble.ts";
import type { SessionService } from "../seams/session-service.ts";
import type { SessionRow, Store, TurnRow } from "../seams/store.ts";
import { openFirst } from "./open-first.ts";
import { formatLogLine, listOf } from "./session-lists.ts";

const ROW: SessionRow = {
  sessionId: "s",
  title: "T",
  storyDir: "/story",
  storyTitle: "S",
  parentSessionId: "p",
  forkTurnId: "t",
  forkSeq: 1,
  lastSeq: 9,
  headTurnId: "t0",
  createdAt: 1,
  updatedAt: 2,
  ended: true,
  removed: false,
};
const SHOWN = {
  sessionId: "s",
  title: "T",
  storyTitle: "S",
  storyDir: "/story",
  createdAt: 1,
  updatedAt: 2,
  ended: true,
  parentSessionId: "p",
  forkTurnId: "t",
};

function listed(row: Partial<SessionRow>, more: object = {}): unknown[] {
  const store = {
    sessions: () => [{ ...ROW, ...row }],
    session: () => ROW,
    turn: () => ({ turnId: "t0", number: 4 }) as TurnRow,
    turnEvents: (): NarratoriaEvent[] => numbered([turnEnd({ narrative: null })]),
    ...more,
  };
  return atOnce(listOf(store as unknown as Store));
}

function failing(error: Error): object {
  return {
    session: () => {
      throw error;
    },
  };
}

test("[U1.3] a session is listed with what it is and how far it has come; nothing told is an empty line", () => {
  expect(listed({})).toEqual([{ ...SHOWN, turnCount: 5, excerpt: "" }]);
});

test("[U1.3] one in which no turn has begun is listed", () => {
  expect(listed({ headTurnId: null })).toEqual([{ ...SHOWN, turnCount: 0, excerpt: "" }]);
  expect(listed({}, { turn: () => null })).toEqual([{ ...SHOWN, turnCount: 0, excerpt: "" }]);
});

test("[K1.1] one that is damaged is listed with what is wrong; a bug of ours is not hidden", () => {
  const [damaged] = listed({}, failing(new DamagedLog("s", 3))) as { turnCount: number; excerpt: string }[];
  expect(damaged).toMatchObject({ ...SHOWN, turnCount: 0 });
  expect(damaged?.excerpt).toMatch(/^Event 3 of this story is not what was written/);
  expect(() => listed({}, failing(new Error("a bug")))).toThrow("a bug");
});

test("[U1.6] what is no log line is shown as an empty one", () => {
  const [line] = numbered([logged("x")], 7) as [EventOf<"tool:event">];
  const done = { ...line, data: { ...line.data, event: { version: "0", type: "done", ok: true } as const } };
  expect(formatLogLine(done, 0)).toMatchObject({ level: "info", message: "", fields: null });
});

test("a session is read in slices before anything is asked of it; what names none is asked at once", async () => {
  const order: string[] = [];
  const service = {
    view: async (id: string) => void order.push(`view ${id}`),
    list: async () => void order.push("list"),
    import: async () => void order.push("import"),
    name: "it",
  };
  const ready = async (id: string): Promise<void> => {
    await new Promise((next) => setImmediate(next));
    order.push(`ready ${id}`);
  };
  const opened = openFirst({ ready }, service as unknown as SessionService) as unknown as typeof service;
  await opened.view("s");
  await opened.list();
  await opened.import();
  expect(order).toEqual(["ready s", "view s", "list", "import"]);
  expect(opened.name).toBe("it");
});
