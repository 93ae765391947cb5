import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFollowers } from "../runtime/sessions/followers.ts";
import type { Store } from "../runtime/seams/store.ts";
import type { NarratoriaEvent } from "../story/event.ts";
import { emptyView, foldView } from "../story/fold-view.ts";
import { openSqliteStore } from "./sqlite.ts";

describe("[U1.5] a million log lines for a reader who wants only the latest", () => {
  test("folding runs comes to the same as folding each line, wherever the reader begins", () => {
    const runs = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(runs, fc.nat(60), (counts, skipped) => {
        using made = storeWithLines(counts);
        const each = made.store.eventsAfter("s", 0, 1_000);
        const after = Math.min(skipped, made.store.lastSeq());
        const known = foldView(
          emptyView("s"),
          each.filter(({ seq }) => (seq ?? 0) <= after),
        );
        const rest = made.store.eventsAfter("s", after, 1_000, "runs");
        expect(foldView(known, rest)).toEqual(foldView(emptyView("s"), each));
        expect(rest.filter(({ data }) => data?.["lines"] !== undefined).length).toBeLessThanOrEqual(counts.length);
      }),
      { numRuns: 40 },
    );
  });

  test("of a line of megabytes only the beginning comes along, and no fields", () => {
    using made = storeWithLines([1]);
    made.append("x".repeat(5_000_000), { big: "y".repeat(1_000_000) });
    const [last] = made.store.eventsAfter("s", made.store.lastSeq() - 1, 10, "runs");
    expect(JSON.stringify(last).length).toBeLessThan(2_000);
    const [whole] = made.store.logLines("span", 1, 1);
    expect(messageOf(whole)).toHaveLength(5_000_000);
  });

  test("a reader gets them in order with all that happened between", () => {
    using made = storeWithLines([3, 2]);
    const seen: string[] = [];
    const followers = createFollowers(made.store);
    const take = (event: NarratoriaEvent): boolean => seen.push(`${event.seq} ${event.event}`) > 0;
    followers.follow("s", 0, { event: take, closed: () => {} }, "runs").resume();
    expect(seen).toEqual([
      "1 turn:start",
      "2 plan:create",
      "3 tool:start",
      "6 tool:event",
      "8 tool:event",
      "9 tool:end",
    ]);
  });
});

describe("[U1.5] log lines by their place", () => {
  test.each([
    [0, 4, ["0", "1", "2", "3"]],
    [2, 5, ["2", "3", "4", "5", "6"]],
    [8, 10, ["8"]],
    [9, 10, []],
  ])("from %i, %i of them", (from, count, messages) => {
    using made = storeWithLines([3, 5, 1]);
    const found = [...made.store.logLines("span", from, count)].map(messageOf);
    expect(found).toEqual(messages);
  });
});

function messageOf(event: NarratoriaEvent | undefined): unknown {
  const printed = event?.data?.["event"];
  return isJsonObject(printed) ? printed["message"] : undefined;
}

interface Made extends Disposable {
  store: Store;
  append(message: string, fields: JsonObject): void;
}

/** A turn with one tool that logged in runs of so many lines; each line says its number. */
function storeWithLines(counts: readonly number[]): Made {
  const store = openSqliteStore(":memory:");
  const about = {
    ts: 1,
    component: "runtime",
    session_id: "s",
    turn_id: "t",
    request_id: "p",
    span_id: "span",
  } as const;
  const tools = [{ toolId: "it", toolPath: "it", dependencies: [], retryPolicy: { maxRetries: 0 } }];
  const metadata = { generationAttempt: 1, parentPlanId: null };
  const plan = { requestId: "p", narrative: "", tools, metadata, disabledSkills: [] } as unknown as JsonObject;
  let number = 0;
  const add = (event: NarratoriaEvent["event"], data: JsonObject, status?: string): void => {
    const seq = store.lastSeq() + 1;
    store.append([{ kind: "event", event: { ...about, id: `e${seq}`, event, data, seq, ...(status && { status }) } }]);
  };
  const addLines = (lines: { message: string; fields?: JsonObject }[], progress: number | null): void => {
    const texts = lines.map((line) => JSON.stringify({ version: "0", type: "log", level: "info", ...line }));
    const first: NarratoriaEvent = { ...about, id: `span:${number}`, event: "tool:event", data: { toolId: "it" } };
    const seq = store.lastSeq() + 1;
    store.append([{ kind: "lines", first: { ...first, seq }, number, lines: texts, progress }]);
    number += lines.length;
  };
  add("turn:start", { turnId: "t", parentTurnId: null, number: 0, prompt: "", takes: ["t"] });
  add("plan:create", { plan });
  add("tool:start", { toolId: "it", attempt: 1 }, "running");
  for (const count of counts) {
    // The last line of a run tells how far it has come.
    const progress = number / 100;
    const lines = Array.from({ length: count }, (_, index) => ({
      message: String(number + index),
      ...(index === count - 1 && { fields: { progress } }),
    }));
    addLines(lines, progress);
  }
  add("tool:end", { toolId: "it", attempt: 1 }, "completed");
  return {
    store,
    append: (message, fields) => addLines([{ message, fields }], null),
    [Symbol.dispose]: () => store.close(),
  };
}
