import type { JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { logInto } from "../../test/log-into.ts";
import type { LogDetail, Store } from "../runtime/seams/store.ts";
import type { EventOf, NarratoriaEvent } from "../story/event.ts";
import { emptyView, foldView } from "../story/fold-view.ts";
import { planSchema } from "../story/plan.ts";
import { openSqliteStore } from "./sqlite.ts";

describe("[U1.5] a million log lines for a reader who wants only the latest", () => {
  test("folding runs comes to the same as folding each line, wherever the reader begins", () => {
    const runs = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(runs, fc.nat(60), (counts, skipped) => {
        using made = storeWithLines(counts);
        const each = read(made.store, 0);
        const after = Math.min(skipped, made.store.lastSeq("s"));
        const known = foldView(
          emptyView("s"),
          each.filter(({ seq }) => (seq ?? 0) <= after),
        );
        const rest = read(made.store, after, "runs");
        expect(foldView(known, rest)).toEqual(foldView(emptyView("s"), each));
        expect(rest.filter((event) => event.event === "tool:event" && event.data.lines).length).toBeLessThanOrEqual(
          counts.length,
        );
      }),
      { numRuns: 40 },
    );
  });

  test("of a line of megabytes only the beginning comes along, and no fields", () => {
    using made = storeWithLines([1]);
    made.append("x".repeat(5_000_000), { big: "y".repeat(1_000_000) });
    const [last] = made.store.eventsAfter("s", made.store.lastSeq("s") - 1, 10, "runs");
    expect(last?.json.length).toBeLessThan(2_000);
    const [whole] = made.store.logLines("span", 1, 1);
    expect(messageOf(whole)).toHaveLength(5_000_000);
  });

  test("a reader gets them in order with all that happened between", () => {
    using made = storeWithLines([3, 2]);
    const page = made.store.eventsAfter("s", 0, 100, "runs");
    expect(page.map(({ seq, name }) => `${seq} ${name}`)).toEqual([
      "1 session:start",
      "2 turn:start",
      "3 plan:create",
      "4 tool:start",
      "7 tool:event",
      "9 tool:event",
      "10 tool:end",
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

function messageOf(line: EventOf<"tool:event"> | undefined): unknown {
  return line?.data.event.type === "log" ? line.data.event.message : undefined;
}

function read(store: Store, after: number, logs: LogDetail = "each"): NarratoriaEvent[] {
  return store.eventsAfter("s", after, 1_000, logs).map((stored) => stored.event());
}

interface Made extends Disposable {
  store: Store;
  append(message: string, fields: JsonObject): void;
}

/** A turn with one tool that logged in runs of so many lines; each line says its number. */
function storeWithLines(counts: readonly number[]): Made {
  const store = openSqliteStore(":memory:");
  const log = logInto(store);
  const session = { component: "runtime", session_id: "s" } as const;
  const about = { ...session, turn_id: "t", request_id: "p", span_id: "span" };
  const plan = planSchema.parse({ requestId: "p", narrative: "", tools: [{ toolId: "it", toolPath: "it" }] });
  let number = 0;
  const addLines = (lines: { message: string; fields?: JsonObject }[], progress: number | null): void => {
    const texts = lines.map((line) => JSON.stringify({ version: "0", type: "log", level: "info", ...line }));
    log.appendLines({ ...about, event: "tool:event", data: { toolId: "it" } }, number, texts, progress);
    number += lines.length;
  };
  log.append([
    { ...session, event: "session:start", data: { plan: { goal: "", inputs: {} } } },
    { ...about, event: "turn:start", data: { turnId: "t", parentTurnId: null, number: 0, prompt: "", takes: ["t"] } },
    { ...about, event: "plan:create", status: "accepted", data: { plan } },
    { ...about, event: "tool:start", status: "running", data: { toolId: "it", attempt: 1 } },
  ]);
  for (const count of counts) {
    // The last line of a run tells how far it has come.
    const progress = number / 100;
    const lines = Array.from({ length: count }, (_, index) => ({
      message: String(number + index),
      ...(index === count - 1 && { fields: { progress } }),
    }));
    addLines(lines, progress);
  }
  log.append([{ ...about, event: "tool:end", status: "completed", data: { toolId: "it", attempt: 1 } }]);
  return {
    store,
    append: (message, fields) => addLines([{ message, fields }], null),
    [Symbol.dispose]: () => store.close(),
  };
}
