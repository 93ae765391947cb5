import { describe, expect, test } from "vitest";
import { createEmit, toLine, type Emit, type NewEvent } from "./emit.ts";
import { understandInput } from "./input.ts";

function emitted(use: (emit: Emit) => void): NewEvent[] {
  const events: NewEvent[] = [];
  use(
    createEmit(
      (event) => events.push(JSON.parse(toLine(event)) as NewEvent),
      () => "/nowhere",
    ),
  );
  return events;
}

describe("emit", () => {
  test("[T4.1] log levels and their short forms", () => {
    const events = emitted((emit) => {
      emit.log("error", "e", { a: 1 });
      emit.debug("d");
      emit.info("i");
      emit.warn("w");
    });
    expect(events).toEqual([
      { version: "0", type: "log", level: "error", message: "e", fields: { a: 1 } },
      { version: "0", type: "log", level: "debug", message: "d" },
      { version: "0", type: "log", level: "info", message: "i" },
      { version: "0", type: "log", level: "warn", message: "w" },
    ]);
  });

  test("[T4.1] progress is a log with fields that drive a bar", () => {
    const events = emitted((emit) => {
      emit.progress(0.25, "a quarter");
      emit.progress(1.2);
      emit.progress({ current: 3, total: 4 });
    });
    expect(events).toMatchObject([
      { message: "a quarter", fields: { progress: 0.25 } },
      { message: "100 %", fields: { progress: 1 } },
      { message: "75 %", fields: { current: 3, total: 4 } },
    ]);
    expect(() => emitted((emit) => emit.progress(Number.NaN))).toThrow(TypeError);
    expect(() => emitted((emit) => emit.progress({ current: 1, total: 0 }))).toThrow(TypeError);
  });

  test("[T4.4] choices are a narrative_choice", () => {
    const events = emitted((emit) => {
      emit.choices(["Open", { label: "Leave", hint: "quietly" }], "What now?");
      emit.ui("shake", { strength: 2 });
    });
    const choices = ["Open", { label: "Leave", hint: "quietly" }];
    expect(events).toEqual([
      { version: "0", type: "ui_event", event: "narrative_choice", payload: { choices, prompt: "What now?" } },
      { version: "0", type: "ui_event", event: "shake", payload: { strength: 2 } },
    ]);
    expect(() => emitted((emit) => emit.choices([]))).toThrow(TypeError);
    expect(() => emitted((emit) => emit.choices([""]))).toThrow(TypeError);
  });

  test("[T4.3] an asset's id may be used once", () => {
    const file = { assetId: "a", mediaType: "audio/wav", path: "/tmp/a.wav", metadata: { seconds: 2 } };
    expect(emitted((emit) => emit.asset(file))).toEqual([{ version: "0", type: "asset", kind: "audio", ...file }]);
    const twice = (emit: Emit): void => void [emit.asset(file), emit.asset(file)];
    expect(() => emitted(twice)).toThrow("was used before");
  });

  test("[T2.3] an event over 8 MiB is refused with advice", () => {
    expect(() => toLine({ type: "log", level: "info", message: "x".repeat(8 * 1024 * 1024) })).toThrow("as an asset");
  });

  test("[T2.1] a line is one line, whatever the text", () => {
    const line = toLine({ type: "log", level: "info", message: "a\nb\r\n\u2028\ud800 ok" });
    expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(Buffer.from(line).toString("utf8")).toBe(line);
  });
});

test("[T1.3] every field of the input has a default", () => {
  expect(understandInput("{}")).toMatchObject({
    kind: "input",
    input: { tool: "", operation: "run", input: {}, context: { dependencies: {}, state: null } },
  });
});
