/**
 * A door of a running host: each file of `doors/` is one attack on it, from outside or by a story, with the line it must
 * not cross. `doors.test.ts` tries them all, as root and as an ordinary user; the programs beside this file are what
 * tools try. To add one, write the file: it says what it must not do and gives back what it got, or null.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createZstdCompress } from "node:zlib";
import { sealOf } from "../../src/runtime/session-file/file-line.ts";
import type { SessionView } from "../../src/story/session-view.ts";
import type { CommandRun } from "../narratoria-command.ts";
import type { Serving } from "../serve-process.ts";

export interface Door {
  mustNot: string;
  /** Whose the host is makes no difference, and it takes its time. */
  once?: boolean;
  /** Null when the line held; else what it got. */
  attack(host: AttackedHost): Promise<string | null>;
}

export interface AttackedHost extends Serving {
  /** Where its data (`data`), its home (`home`) and the stories lie; everybody may walk there. */
  folder: string;
  /** A folder of the attack's own, which everybody may write to. */
  place(): string;
  /** `narratoria` once more, as the host's own account runs it. */
  command(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<CommandRun>;
  /** A story folder that the host can read. Text is a file that may be executed, anything else JSON. */
  story(files: Record<string, string | object>): string;
  /** A session of that story, or of the host's own, with its opening told; null when the story is refused. */
  begin(story?: string): Promise<string | null>;
  /** Types, waits for the end of the turn, and gives what can be seen then. */
  say(sessionId: string, text: string): Promise<SessionView>;
  /** Answers the first open question, waits again, and gives what can be seen then. */
  answer(sessionId: string, value: "once" | "always" | "no"): Promise<SessionView>;
  /** Bytes as they are, on a socket of their own; what came back when it was closed. */
  raw(bytes: string): Promise<string>;
  /** Takes in a session file made of these lines, sealed as ours are. */
  importLines(lines: readonly object[], story?: string): Promise<{ status: number; text: string }>;
  /** The same of whatever text. */
  importText(text: string): Promise<{ status: number; text: string }>;
}

export function attacked(serving: Serving, folder: string, command: AttackedHost["command"]): AttackedHost {
  let stories = 0;

  function place(): string {
    const path = mkdtempSync(join(folder, "place-"));
    chmodSync(path, 0o777);
    return path;
  }

  function story(files: Record<string, string | object>): string {
    const path = join(folder, `story-${stories++}`);
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      const text = typeof content === "string" ? content : JSON.stringify(content);
      writeFileSync(join(path, name), text, { mode: 0o755 });
    }
    execFileSync("chmod", ["-R", "go=rX", path]);
    return path;
  }

  async function begin(of?: string): Promise<string | null> {
    const { status, body } = await serving.api("POST", "/api/sessions", of === undefined ? {} : { story: of });
    if (status !== 201) return null;
    const { sessionId } = body as SessionView;
    await serving.until(sessionId, isAtRest);
    return sessionId;
  }

  async function say(sessionId: string, text: string): Promise<SessionView> {
    await serving.api("POST", `/api/sessions/${sessionId}/prompts`, { text });
    return serving.until(sessionId, isAtRest);
  }

  async function answer(sessionId: string, value: string): Promise<SessionView> {
    const { body } = await serving.api("GET", `/api/sessions/${sessionId}`);
    const askId = (body as SessionView).asks[0]?.askId ?? "";
    await serving.api("POST", `/api/sessions/${sessionId}/answers`, { askId, value });
    return serving.until(sessionId, (view) => view.asks.every((ask) => ask.askId !== askId) && isAtRest(view));
  }

  async function raw(bytes: string): Promise<string> {
    const { hostname, port } = new URL(serving.url);
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString("latin1")));
    // Who is refused in the middle of a sentence is cut off.
    socket.on("error", () => {});
    socket.write(bytes, "latin1");
    await new Promise((closed) => socket.on("close", closed));
    return answer;
  }

  const importLines: AttackedHost["importLines"] = (lines, of) =>
    importPieces(
      lines.map((line) => `${JSON.stringify(line)}\n`),
      of,
    );

  async function importPieces(pieces: string[], of?: string): Promise<{ status: number; text: string }> {
    // A piece at a time: who is busy for seconds is cut off by the host.
    const packed = await buffer(Readable.from(pieces).pipe(createZstdCompress()));
    const body = Buffer.concat([packed, sealOf(createHash("sha256").update(packed).digest("hex"))]);
    const headers = { authorization: `Bearer ${serving.token}` };
    const query = of === undefined ? "" : `?story=${encodeURIComponent(of)}`;
    const answer = await fetch(`${serving.url}/api/sessions/import${query}`, { method: "POST", headers, body });
    return { status: answer.status, text: await answer.text() };
  }

  return {
    ...serving,
    folder,
    place,
    command,
    story,
    begin,
    say,
    answer,
    raw,
    importLines,
    importText: (text) => importPieces([text]),
  };
}

function isAtRest({ turns, asks }: SessionView): boolean {
  return (turns.length > 0 && turns.at(-1)?.status !== "running") || asks.length > 0;
}

/** A story whose prompt "go" runs one Python tool, which prints with `say(dict)`. */
export function storyOf(script: string, more: Record<string, string | object> = {}): Record<string, string | object> {
  const tool = { toolId: "it", toolPath: "it", required: false, retryPolicy: { maxRetries: 0, backoffMs: 0 } };
  return {
    "story.json": { title: "The Door", narrator: "stub" },
    "plans.json": [
      { opening: true, narrative: "A door." },
      { match: "go", plan: { tools: [tool] } },
    ],
    "tools/it": `#!/usr/bin/python3
import json, os, sys
def say(**event): sys.stdout.write(json.dumps({"version": "0", **event}) + "\\n")
${script}
say(type="done", ok=True)
`,
    ...more,
  };
}

/** What a flooded host must still do: show the session, in so many bytes. */
export async function shown(host: AttackedHost, sessionId: string, mostBytes = 2_000_000): Promise<string | null> {
  const { status, body } = await host.api("GET", `/api/sessions/${sessionId}`);
  if (status !== 200) return `the session answers ${status}`;
  const size = JSON.stringify((body as SessionView).turns).length;
  return size > mostBytes ? `the session is shown in ${size} bytes` : null;
}

/** `storyOf` with a mount that needs this much; what it runs is still `tools/it`. */
export function askingStory(capabilities: readonly string[], script = ""): Record<string, string | object> {
  const transport = { type: "stdio", command: ["python3", "tools/it"] };
  const mount = { name: "it", kind: "tool", protocol: "narratoria/0", transport, capabilities };
  return storyOf(script, { "story.json": { title: "The Door", narrator: "stub", mounts: [mount] } });
}

export interface Flood extends Door {
  script: string;
}

/** A story that is one tool's flood; `code`: how its attempt ends where it is more than a tool may say. */
export function flood(mustNot: string, script: string, code: string | null = null): Flood {
  return {
    mustNot,
    script,
    once: true,
    attack: async (host) => {
      const session = await host.begin(host.story(storyOf(script)));
      if (session === null) return "the story is refused";
      const over = host.say(session, "go");
      const other = await host.begin();
      await host.say(other ?? "", "light");
      const turn = (await over).turns.at(-1);
      const ended = turn?.tools[0]?.error?.code ?? null;
      // On a busy machine its time is over first.
      if (turn?.status !== "completed" || (ended !== code && ended !== "TIMEOUT"))
        return `the turn is ${turn?.status}, its tool ended with ${ended}`;
      return shown(host, session);
    },
  };
}
