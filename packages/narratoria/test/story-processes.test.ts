/** The processes for stories, with jobs that do their worst (`fixtures/story-jobs.ts`). */
import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createStoryProcesses, type StoryProcesses } from "../src/runtime/mounts/story-processes.ts";
import type { Job } from "../src/runtime/mounts/story-job.ts";
import { isAlive } from "./processes.ts";

const MODULE = new URL("./fixtures/story-jobs.ts", import.meta.url);

function job<Args, Answer>(name: string, limits: Partial<Job<Args, Answer>> = {}): Job<Args, Answer> {
  return { module: MODULE, name, timeLimitMs: 20_000, mostAnswerBytes: 1024 * 1024, ...limits };
}
const PID = job<null, number>("pid");

let processes: StoryProcesses;
beforeEach(() => {
  processes = createStoryProcesses();
});
afterEach(() => processes.close());

async function pidOf(key: string): Promise<number> {
  const outcome = await processes.run(PID, null, { key });
  return outcome.kind === "answer" ? outcome.answer : 0;
}

describe("[Z1.7] a job in a story's process", () => {
  test("is answered, and the process is there for the next", async () => {
    const value = { text: "ä\u2028\n", list: [1, null, true], ["__proto__"]: 1 };
    expect(await processes.run(job("echo"), value, { key: "a" })).toEqual({ kind: "answer", answer: value });
    expect(await pidOf("a")).toBe(await pidOf("b"));
  });

  test.each([
    ["takes too long", job<null, never>("spin", { timeLimitMs: 300 }), "it took longer than 300 ms"],
    ["says too much", job<number, string>("say", { mostAnswerBytes: 999 }), "it came to more than 999 bytes"],
    ["fails", job<null, never>("fail"), "on purpose"],
    ["is not there", job<null, never>("nothing"), "there is no job nothing"],
  ])("that %s is lost, and the next one is not", async (_, wrong, message) => {
    const args = 2000 as never;
    expect(await processes.run(wrong as Job<never, unknown>, args, { key: "a" })).toEqual({ kind: "lost", message });
    expect(await pidOf("a")).toBeGreaterThan(0);
  });

  test("that fills its heap is lost, and the next one is not", { tags: ["large"] }, async () => {
    const message: string = expect.stringContaining("its process ended (SIG");
    expect(await processes.run(job<null, never>("fillHeap"), null, { key: "a" })).toEqual({ kind: "lost", message });
    expect(await pidOf("a")).toBeGreaterThan(0);
  });

  test("that takes memory outside the heap is lost where the system can count it", { tags: ["large"] }, async () => {
    const outcome = await processes.run(job<null, never>("hoard"), null, { key: "a" });
    expect(outcome).toMatchObject({ kind: "lost" });
  });

  test("that was cancelled before it began is not begun", async () => {
    const outcome = await processes.run(PID, null, { key: "a", signal: AbortSignal.abort() });
    expect(outcome).toEqual({ kind: "lost", message: "it was cancelled" });
    expect(await pidOf("a")).toBeGreaterThan(0);
  });

  test("that dies by itself is lost: no second process is tried where nothing was left behind", async () => {
    await processes.run(job<null, void>("poison"), null, { key: "a" });
    processes.close();
    const died = await processes.run(job<null, never>("exit"), null, { key: "a" });
    expect(died).toEqual({ kind: "lost", message: "its process ended (exit code 3), most likely out of memory" });
  });

  test("goes to a process that has worked for its story", async () => {
    const [first, second] = await Promise.all([pidOf("a"), pidOf("b")]);
    expect(first).not.toBe(second);
    expect([await pidOf("b"), await pidOf("a"), await pidOf("b")]).toEqual([second, first, second]);
  });

  test("does not wait for another story's, only for its own story's", async () => {
    const stop = new AbortController();
    const spinning = processes.run(job<null, never>("spin"), null, { key: "a", signal: stop.signal });
    const order: string[] = [];
    const same = processes.run(PID, null, { key: "a" }).then(() => order.push("same"));
    await pidOf("b").then(() => order.push("other"));
    stop.abort();
    expect(await spinning).toEqual({ kind: "lost", message: "it was cancelled" });
    await same;
    expect(order).toEqual(["other", "same"]);
  });

  test("that waits can be cancelled too", async () => {
    const stop = new AbortController();
    const spinning = processes.run(job<null, never>("spin"), null, { key: "a", signal: stop.signal });
    const waiting = new AbortController();
    const behind = processes.run(PID, null, { key: "a", signal: waiting.signal });
    waiting.abort();
    expect(await behind).toEqual({ kind: "lost", message: "it was cancelled" });
    stop.abort();
    await spinning;
  });

  test("that dies of what an earlier one left behind gets a second process", async () => {
    await processes.run(job<null, void>("poison"), null, { key: "a" });
    const outcome = await processes.run(job<null, string>("dieIfPoisoned"), null, { key: "b" });
    expect(outcome).toEqual({ kind: "answer", answer: "well" });
  });

  test("knows nothing of the host's environment but where things are", async () => {
    process.env["NARRATORIA_TEST_SECRET"] = "x";
    const outcome = await processes.run(job<null, string[]>("environment"), null, { key: "a" });
    delete process.env["NARRATORIA_TEST_SECRET"];
    const known = ["HOME", "LANG", "NODE_COMPILE_CACHE", "PATH", "TMPDIR", "TZ"];
    const names = outcome.kind === "answer" ? outcome.answer : [];
    expect(names).toContain("PATH");
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});

test("[Z1.7] an idle process does not keep the host alive, and ends with it", async () => {
  const source = JSON.stringify(new URL("../src/runtime/mounts/story-processes.ts", import.meta.url).href);
  const script = `
    import { createStoryProcesses } from ${source};
    const job = { module: new URL(${JSON.stringify(MODULE.href)}), name: "pid", timeLimitMs: 20_000, mostAnswerBytes: 99 };
    const { answer } = await createStoryProcesses().run(job, null, { key: "a" });
    console.log(answer);
  `;
  const args = ["--input-type=module", "-e", script];
  const host = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 25_000 });
  expect(host).toMatchObject({ status: 0, signal: null, stderr: "" });
  while (isAlive(Number(host.stdout))) await new Promise((resolve) => setTimeout(resolve, 20));
});
