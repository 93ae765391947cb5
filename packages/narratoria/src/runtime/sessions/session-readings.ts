/** The part of the session service that only looks: views, lists, one turn, where a value came from, assets. */
import { statSync } from "node:fs";
import { parsePointer } from "../../story/json-pointer.ts";
import { inSlices, type Sliced } from "../execution/slices.ts";
import type { StoryShelf } from "../mounts/story-shelf.ts";
import { DamagedLog } from "../seams/disk-trouble.ts";
import { notFound, refused } from "../seams/refusals.ts";
import { isRefusal, type LogLine, type SessionService, type TurnRecord } from "../seams/session-service.ts";
import type { SessionRow, Store, TurnRow } from "../seams/store.ts";
import { exportSession } from "../session-file/session-file.ts";
import { rebuildTurn } from "../turns/rebuild-turn.ts";
import { stateAfter } from "../turns/state-after.ts";
import { readTurn } from "../turns/turn-pages.ts";
import { loadTurn } from "./load-view.ts";
import { findProvenance } from "./provenance.ts";
import { formatLogLine, listOf, treeOf } from "./session-lists.ts";
import type { SessionDesk } from "./session-desk.ts";
import type { SessionLog } from "./session-log.ts";

export type SessionReadings = Pick<
  SessionService,
  "stories" | "list" | "view" | "turn" | "stateAt" | "tree" | "why" | "logs" | "asset" | "export"
>;

export function createReadings(
  { store, ancestry, open, log }: SessionDesk,
  shelf: StoryShelf,
  assetFile: (sha256: string) => string,
): SessionReadings {
  const noteReading = createReadingNotes(log);

  /** Everything about a turn; null when its beginning is not there. */
  function* detail(sessionId: string, row: TurnRow): Sliced<TurnRecord | null> {
    const trace = yield* readTurn(store, row.turnId);
    const before = yield* stateAfter(store, row.parentTurnId, () => ancestry.initialState(sessionId));
    const turn = yield* loadTurn(store, ancestry, sessionId, row, before);
    if (turn === null) return null;
    const { plans, unfinished } = yield* rebuildTurn(trace, before, store);
    return {
      turn,
      plans: [
        ...plans.map((planned) =>
          planned.kind === "executed"
            ? { plan: planned.plan, result: planned.result }
            : { plan: planned.plan, problems: planned.problems, result: null },
        ),
        ...(unfinished === null ? [] : [{ plan: unfinished.plan, result: null }]),
      ],
      trace,
    };
  }

  return {
    stories: async () => shelf.list(),
    list: () => inSlices(listOf(store)),

    async view(sessionId) {
      const session = open.live(sessionId);
      return isRefusal(session) ? session : session.view();
    },

    async turn(sessionId, turnId) {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      const row = open.turnIn(sessionId, turnId);
      if (isRefusal(row)) return row;
      return (await inSlices(detail(sessionId, row))) ?? notFound("turn", turnId);
    },

    async stateAt(sessionId, turnId) {
      const row = open.turnIn(sessionId, turnId);
      if (isRefusal(row)) return row;
      const state = await inSlices(stateAfter(store, turnId, () => ancestry.initialState(sessionId)));
      return { turnId, state };
    },

    async tree(sessionId) {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      return inSlices(treeOf(store, ancestry, await session.view()));
    },

    async why(sessionId, path) {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      if (parsePointer(path) === null)
        return refused("bad_request", `${path} is no JSON pointer; try /inventory/torch/lit`);
      const { head, state } = session.present();
      return inSlices(findProvenance(store, head?.turnId ?? null, path, state));
    },

    async logs(sessionId, spanId, { from, count, width }) {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      const lines: LogLine[] = [];
      for (const event of store.logLines(spanId, from, count))
        lines.push(formatLogLine(event, from + lines.length, width));
      return lines;
    },

    async asset(id) {
      const event = store.event(id);
      const asset = event?.event === "tool:event" ? event.data.asset : null;
      if (!event || !asset?.sha256) return notFound("asset", id);
      const file = assetFile(asset.sha256);
      const bytes = asset.bytes ?? 0;
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? null;
      noteReading(event.session_id ?? "", id, size === null ? "missing" : size === bytes ? "ok" : "damaged");
      if (size === null) return refused("not_found", "the file of this asset is not there any more");
      if (size !== bytes) return refused("not_found", `the file of this asset is damaged: ${size} of ${bytes} bytes`);
      return { file, mediaType: asset.mediaType, bytes };
    },

    async export(sessionId) {
      const session = store.session(sessionId);
      if (session === null) return notFound("session", sessionId);
      // Before the first byte goes out: afterwards nobody could be told.
      await inSlices(refuseDamaged(store, session));
      return exportSession(ancestry, session, assetFile);
    },
  };
}

/** With those it was forked from. */
function* refuseDamaged(store: Store, session: SessionRow): Sliced<void> {
  for (let at: SessionRow | null = session; at !== null; at = store.session(at.parentSessionId ?? "")) {
    const [damage] = yield* store.searchDamage(at.sessionId);
    if (damage === undefined) continue;
    throw new DamagedLog(at.sessionId, damage.kind === "altered" ? damage.seq : damage.after + 1);
  }
}

const MOST_READ = 10_000;

/** That an asset was read is told once for each time this host runs: pages read pictures again and again. */
function createReadingNotes(log: Pick<SessionLog, "note">): (sessionId: string, id: string, status: string) => void {
  const read = new Set<string>();
  return (sessionId, id, status) => {
    if (read.has(id)) return;
    if (read.size >= MOST_READ) read.clear();
    read.add(id);
    log.note(sessionId, { event: "artifact:read", component: "kernel", status, data: { uri: `asset:${id}` } });
  };
}
