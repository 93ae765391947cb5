import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { bytesSource, RefusedBytes, refusedSource, takeAsset, type TakenAsset } from "./assets.ts";
import { isRefusal } from "./session-service.ts";
import { startChild } from "./start-child.ts";

const SOURCE = refusedSource("it is gone", "image/png");

test("[T4.2] bytes at hand are opened with their size", async () => {
  const { mediaType, open } = bytesSource(Buffer.from("abc"), "text/plain");
  const opening = await open();
  expect([mediaType, opening.kind]).toEqual(["text/plain", "open"]);
  if (opening.kind !== "open") return;
  expect(opening.size).toBe(3);
  expect((await buffer(opening.bytes)).toString()).toBe("abc");
  await opening.close();
});

test("[T4.2] what was refused says so when it is opened", async () => {
  expect(SOURCE.mediaType).toBe("image/png");
  expect(await SOURCE.open()).toEqual({ kind: "refused", reason: "it is gone" });
});

test("[T4.2] bytes that must not be kept are refused; whatever else breaks is ours", async () => {
  const stored: TakenAsset = { kind: "stored", sha256: "0", bytes: 1 };
  expect(await takeAsset({ take: () => Promise.resolve(stored) }, SOURCE)).toBe(stored);
  const failing = (error: Error) => takeAsset({ take: () => Promise.reject(error) }, SOURCE);
  expect(await failing(new RefusedBytes("it holds a secret"))).toEqual({
    kind: "refused",
    reason: "it holds a secret",
  });
  await expect(failing(new Error("disk"))).rejects.toThrow("disk");
});

test("a refusal is told from whatever else is answered", () => {
  const refusal = { kind: "refused", code: "conflict", message: "no" };
  expect(isRefusal(refusal)).toBe(true);
  for (const other of [null, undefined, "refused", { kind: "stored" }, {}, [], 7]) expect(isRefusal(other)).toBe(false);
});

test("[T1.1] what keeps a program from starting is a value, not an exception", async () => {
  const impossible = startChild("true", ["a\0b"], {});
  expect(impossible).toEqual({ kind: "not_started", reason: expect.stringContaining("null bytes") as string });
  const started = startChild(process.execPath, ["-e", "process.exitCode = 3"], { stdio: "ignore" });
  if (started.kind !== "started") throw new Error(started.reason);
  const code = await new Promise((ended) => started.child.once("exit", ended));
  expect(code).toBe(3);
  // Its error has no listener of ours, and ends nobody.
  const missing = startChild("/no/such/program", [], { stdio: "ignore" });
  if (missing.kind !== "started") throw new Error(missing.reason);
  const [error] = await new Promise<unknown[]>((said) => missing.child.once("error", (...all) => said(all)));
  expect(error).toMatchObject({ code: "ENOENT" });
});
