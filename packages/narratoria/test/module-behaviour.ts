/** What a module client does, whatever carries its messages: run against stdio and HTTP by the files beside this. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { systemClock } from "../src/runtime/seams/clock.ts";
import { createModuleClient, type ModuleClient, type ModuleConnection } from "../src/runners/module-client.ts";

export interface OpenMirror {
  connection: ModuleConnection;
  stop(): Promise<void>;
}

const signal = new AbortController().signal;

export function describeModules(transport: string, open: () => Promise<OpenMirror>): void {
  describe(`a module over ${transport}`, () => {
    let mirror: OpenMirror;
    let client: ModuleClient;
    beforeAll(async () => {
      mirror = await open();
      client = createModuleClient(mirror.connection);
    });
    afterAll(async () => {
      await client.close();
      await mirror.stop();
    });
    const invoke = (op: string, args: JsonObject = {}, timeoutMs = 10_000): ReturnType<ModuleClient["invoke"]> =>
      client.invoke({ op, args, sessionId: "s-1", timeoutMs }, systemClock, signal);

    test("[A1.2] [case 22] is healthy, describes itself twice the same, and may answer null", async () => {
      expect(await client.health()).toEqual({ kind: "ok", result: { status: "ok" } });
      const described = await client.describe();
      expect(described).toMatchObject({ kind: "ok", result: { name: "mirror", kind: "tool", version: "1.0.0" } });
      expect(await client.describe()).toEqual(described);
      expect(await invoke("nothing")).toEqual({ kind: "ok", result: null });
    });

    test("[A1.8] invoke carries the session", async () => {
      expect(await invoke("echo", { a: 1 })).toMatchObject({ result: { args: { a: 1 }, session_id: "s-1" } });
    });

    test("[A1.6] [case 23] an operation it does not have is unsupported_op, one that throws is internal", async () => {
      expect(await invoke("fly")).toMatchObject({ kind: "error", error: { code: "unsupported_op" } });
      expect(await invoke("break")).toMatchObject({ error: { code: "internal", message: "the mirror broke" } });
      expect(await client.health()).toMatchObject({ kind: "ok" });
    });

    test.each<[string, JsonObject]>([
      ["no op", { args: {} }],
      ["args an array", { op: "echo", args: [] }],
    ])("[A1.6] [case 23] %s is bad_request", async (_, params) => {
      const answer = await mirror.connection.send("invoke", params, signal);
      expect(answer).toMatchObject({ kind: "body", body: { ok: false, error: { code: "bad_request" } } });
    });

    test("[A1.4] [case 24] a megabyte, Unicode and newlines arrive intact", async () => {
      const args = { text: "é\u2028\n\r\0😀".repeat(100_000), more: "x".repeat(1024 * 1024) };
      // Compared as text: a difference of a megabyte helps nobody.
      const reply = JSON.stringify(await invoke("echo", args));
      expect(reply.includes(JSON.stringify(args))).toBe(true);
    });

    test("[A1.3] [case 24] ten calls answered in shuffled order each reach their caller", async () => {
      const delays = [90, 10, 70, 30, 50, 20, 80, 0, 60, 40];
      const replies = await Promise.all(delays.map((ms) => invoke("after", { ms })));
      expect(replies).toEqual(delays.map((result) => ({ kind: "ok", result })));
    });

    test("[A1.4] over its limit a call is a timeout; the late answer is nobody's", async () => {
      expect(await invoke("after", { ms: 300 }, 50)).toMatchObject({ error: { code: "timeout" } });
      expect(await invoke("after", { ms: 301 })).toEqual({ kind: "ok", result: 301 });
    });

    test("an aborted call ends at once", async () => {
      const stop = new AbortController();
      const call = { op: "after", args: { ms: 20_000 }, sessionId: null, timeoutMs: 30_000 };
      const reply = client.invoke(call, systemClock, stop.signal);
      stop.abort();
      expect(await reply).toMatchObject({ kind: "error" });
    });

    test("[A1.4] more than the limit is refused on the way in and on the way out", async () => {
      const [most, more] = [9 * 1024 * 1024, 11 * 1024 * 1024];
      expect(await invoke("echo", { text: "x".repeat(more) })).toMatchObject({ error: { code: "bad_request" } });
      expect(await invoke("large", { bytes: more })).toMatchObject({ error: { code: "internal" } });
      expect(await invoke("large", { bytes: most })).toMatchObject({ kind: "ok" });
    });
  });
}
