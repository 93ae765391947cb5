/** `narratoria module`: Narratoria as a module on standard streams, one JSON message a line, until stdin ends. */
import { isJsonObject, readJson, type JsonObject } from "@narratoria/tool/json";
import { createLineSplitter, type Frame } from "@narratoria/tool/ndjson";
import { dataFolder } from "../data.ts";
import { MAX_MESSAGE_BYTES, VERSION } from "../index.ts";
import { createSessionModule } from "../server/index.ts";
import { objectToStory } from "./named-story.ts";
import { openOrComplain, storiesWith } from "./open-or-complain.ts";
import { printEvent } from "./print-json.ts";
import { readPolicy } from "./read-policy.ts";
import { BAD_USAGE, complain, FAILURE } from "./say.ts";
import { onEndingSignal } from "./signals.ts";

export interface ModuleOptions {
  story?: string;
  data?: string;
  policy?: string;
  sandbox: boolean;
  allowUnconfined?: boolean;
}

export async function moduleCommand(options: ModuleOptions): Promise<number> {
  const policy = await readPolicy(options.policy);
  if (policy.kind === "wrong") {
    return complain(policy.message, BAD_USAGE);
  }
  const noStory = objectToStory(options.story);
  if (noStory !== null) return complain(noStory, BAD_USAGE);
  const narratoria = await openOrComplain({
    dataDir: dataFolder(options.data),
    ...storiesWith(options.story),
    sandbox: options.sandbox ? "best" : "none",
    // Nobody can be asked here: whoever switches the sandbox off has said so.
    allowUnconfined: options.allowUnconfined === true || !options.sandbox,
    policy: policy.policy,
  });
  if (narratoria === null) return FAILURE;
  const module = createSessionModule(narratoria.sessions, VERSION);
  const splitter = createLineSplitter({ maxLineBytes: MAX_MESSAGE_BYTES });
  const open = new Set<Promise<void>>();

  /** Answers come when they are ready, in any order. */
  function take(frame: Frame): void {
    const answering = answer(frame).finally(() => open.delete(answering));
    open.add(answering);
  }

  async function answer(frame: Frame): Promise<void> {
    const reading = frame.kind === "line" ? readJson(frame.text) : null;
    if (reading?.kind !== "value" || !isJsonObject(reading.value)) return printEvent({ id: null, ...UNREADABLE });
    const { id = null, method, params = {} } = reading.value;
    const body: JsonObject = typeof method === "string" ? await module(method, params) : UNREADABLE;
    await printEvent({ id, ...body });
  }

  const stop = (): void => void process.stdin.destroy();
  onEndingSignal(stop);
  // Nobody reads the answers any more.
  process.stdout.on("error", stop);
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) splitter.push(chunk).forEach(take);
    splitter.end().forEach(take);
  } catch {
    // Asked to end: what is being told is interrupted, and can be resumed.
    await narratoria.close();
    return 0;
  }
  await Promise.all(open);
  await narratoria.close();
  return 0;
}

const UNREADABLE: JsonObject = {
  ok: false,
  error: { code: "bad_request", message: "a message is one line of JSON: {id, method, params}" },
};
