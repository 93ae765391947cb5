/**
 * Signals that ask the command to end. Where an old Node has started the bundled one (`bin/narratoria.js`), it passes on
 * what it hears through a pipe: who signals both of them, as service managers and terminals do, has signalled once. When
 * that pipe ends the launcher is gone, and nobody is left to end us.
 */
import type { Socket } from "node:net";

export type EndingSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

const SIGNALS: readonly EndingSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];
/** The launcher sets it to the number of the descriptor. */
const LINK = "NARRATORIA_LAUNCHER_FD";

type Count = ReturnType<typeof createCount>;

/** Those who have a say in how the command ends; without any it ends at once, as every program does. */
const counts = new Set<Count>();

/** Calls the listener once for each time somebody asked; gives back how to stop listening. */
export function onEndingSignal(listener: (signal: EndingSignal) => void): () => void {
  const count = createCount(listener);
  counts.add(count);
  const listeners = SIGNALS.map((signal) => [signal, () => count.heard("directly", signal)] as const);
  for (const [signal, hear] of listeners) process.on(signal, hear);
  return () => {
    counts.delete(count);
    for (const [signal, hear] of listeners) process.off(signal, hear);
  };
}

/** Once, when the command starts. */
export function listenToLauncher(): void {
  const fd = Number(process.env[LINK] ?? Number.NaN);
  // Tools and other commands are not to take it for theirs.
  delete process.env[LINK];
  if (!Number.isInteger(fd) || fd < 3) return;
  // Only here: it takes a while to load, and most commands are not started by a launcher.
  const link: Socket = new (process.getBuiltinModule("node:net").Socket)({
    fd,
    readable: true,
    writable: false,
  }).unref();
  link.on("data", (words: Buffer) => words.toString().split("\n").filter(isEndingSignal).forEach(passOn));
  link.on("end", () => passOn("SIGTERM"));
  // A launcher that was killed may leave a broken pipe; that is its end.
  link.on("error", () => passOn("SIGTERM"));
}

function passOn(signal: EndingSignal): void {
  if (counts.size === 0) process.kill(process.pid, signal);
  for (const count of counts) count.heard("passed on", signal);
}

/** What came both ways counts once, in whichever order. */
export function createCount(listener: (signal: EndingSignal) => void): {
  heard(how: "directly" | "passed on", signal: EndingSignal): void;
} {
  const times = new Map<string, number>();
  const told = new Map<EndingSignal, number>();
  return {
    heard(how, signal) {
      const now = (times.get(`${how} ${signal}`) ?? 0) + 1;
      times.set(`${how} ${signal}`, now);
      if (now <= (told.get(signal) ?? 0)) return;
      told.set(signal, now);
      listener(signal);
    },
  };
}

function isEndingSignal(word: string): word is EndingSignal {
  return (SIGNALS as readonly string[]).includes(word);
}
