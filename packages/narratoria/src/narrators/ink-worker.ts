/** The thread that plays ink: takes passes, one at a time, and answers each. `ink-thread.ts` is its other end. */
import { parentPort, workerData } from "node:worker_threads";
import { createInkPlayer, type InkPassRequest } from "./ink-play.ts";
import type { InkThreadData } from "./ink-thread.ts";

const { json, synonyms } = workerData as InkThreadData;
const play = createInkPlayer(json, synonyms);

parentPort?.on("message", (request: InkPassRequest) => parentPort?.postMessage(play(request), []));
