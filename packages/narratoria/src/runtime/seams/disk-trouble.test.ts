import { expect, test } from "vitest";
import { DamagedLog, DataGone, diskTroubleIn, TOO_MANY_OPEN } from "./disk-trouble.ts";

function error(fields: object, cause?: unknown): Error {
  return Object.assign(new Error("it broke", { cause }), fields);
}

test.each<[what: string, error: unknown, code: string | null]>([
  ["no room", error({ code: "ENOSPC" }), "disk_full"],
  ["no quota", error({ code: "EDQUOT" }), "disk_full"],
  ["a failing disk", error({ code: "EIO" }), "disk_failing"],
  ["a disk to read", error({ code: "EROFS" }), "disk_read_only"],
  ["too many files of ours", error({ code: "EMFILE" }), "too_many_open"],
  ["too many files of all", error({ code: "ENFILE" }), "too_many_open"],
  ["SQLite: full", error({ errcode: 13 }), "disk_full"],
  ["SQLite: failing", error({ errcode: 10 }), "disk_failing"],
  ["SQLite: failing, in detail", error({ errcode: 10 | (3 << 8) }), "disk_failing"],
  ["SQLite: to read", error({ errcode: 8 }), "disk_read_only"],
  ["SQLite: damaged", error({ errcode: 11 }), "log_damaged"],
  ["SQLite: no database", error({ errcode: 26 }), "log_damaged"],
  ["SQLite: something else", error({ errcode: 1 }), null],
  ["a number in words", error({ errcode: "13" }), null],
  ["a cause", error({}, error({ code: "ENOSPC" })), "disk_full"],
  ["a cause of a cause", error({ code: "OURS" }, error({}, error({ errcode: 13 }))), "disk_full"],
  ["a cause that is none", error({}, "ENOSPC"), null],
  ["a bug", new TypeError("x is not a function"), null],
  ["what is no error", { code: "ENOSPC" }, null],
  ["data that is gone", new DataGone("It is gone."), "data_gone"],
  ["a damaged event", new DamagedLog("s", 7), "log_damaged"],
])("[Z1.4] %s: %s", (_, thrown, code) => {
  expect(diskTroubleIn(thrown)?.code ?? null).toBe(code);
});

test("[Z1.4] each is told in words of its own", () => {
  const codes = ["ENOSPC", "EDQUOT", "EIO", "EROFS", "EMFILE"];
  const words = codes.map((code) => diskTroubleIn(error({ code }))?.message ?? "");
  expect(new Set(words).size).toBe(codes.length);
  expect(words[0]).toContain("no room");
  expect(words[1]).toContain("quota");
  expect(words[2]).toContain("could not be read or written");
  expect(words[3]).toContain("may only be read");
  expect(words[4]).toBe(TOO_MANY_OPEN.message);
  expect(diskTroubleIn(new DataGone("It is gone."))?.message).toBe("It is gone.");
  expect(diskTroubleIn(error({ errcode: 11 }))?.message).toContain("narratoria doctor");
});

test("[K1.1] what was found damaged is named, for people and for whoever looks", () => {
  const event = new DamagedLog("s", 7);
  expect([event.message, event.sessionId, event.seq]).toEqual(["event 7 of session s is not what was written", "s", 7]);
  expect(new DamagedLog("s", null).message).toBe("what is kept of session s is not what was written");
  expect(diskTroubleIn(event)?.message).toMatch(
    /^Event 7 of this story is not what was written, .+ narratoria doctor says/,
  );
  expect(diskTroubleIn(new DamagedLog("s", null))?.message).toMatch(
    /^What is kept of this story is not what was written/,
  );
});
