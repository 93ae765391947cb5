/**
 * A door of a running host: each file of `doors/` is one attack on it, from outside or by a story, with the line it must
 * not cross. `doors.test.ts` tries them all, as root and as an ordinary user; the programs beside this file are what
 * tools try. To add one, write the file: it says what it must not do and gives back what it got, or null.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createZstdCompress } from "node:zlib";
import { sealOf } from "../../src/runtime/session-file/file-line.ts";
import type { SessionView } from "../../src/story/session-view.ts";
import type { Serving } from "../serve-process.ts";

export interface Door {
  mustNot: string;
  /** Null when the line held; else what it got. */
  attack(host: AttackedHost): Promise<string | null>;
}

export interface AttackedHost extends Serving {
  /** A story folder that the host can read. Text is a file that may be executed, anything else JSON. */
  story(files: Record<string, string | object>): string;
  /** A session of that story, or of the host's own, with its opening told; null when the story is refused. */
  begin(story?: string): Promise<string | null>;
  /** Types, waits for the end of the turn, and gives what can be seen then. */
  say(sessionId: string, text: string): Promise<SessionView>;
  /** Bytes as they are, on a socket of their own; what came back when it was closed. */
  raw(bytes: string): Promise<string>;
  /** Takes in a session file made of these lines, sealed as ours are. */
  importLines(lines: readonly object[], story?: string): Promise<{ status: number; text: string }>;
}

export function attacked(serving: Serving, folder: string): AttackedHost {
  let stories = 0;

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

  async function importLines(lines: readonly object[], of?: string): Promise<{ status: number; text: string }> {
    // A piece at a time: who is busy for seconds is cut off by the host.
    const pieces = Readable.from(lines.map((line) => `${JSON.stringify(line)}\n`));
    const packed = await buffer(pieces.pipe(createZstdCompress()));
    const body = Buffer.concat([packed, sealOf(createHash("sha256").update(packed).digest("hex"))]);
    const headers = { authorization: `Bearer ${serving.token}` };
    const query = of === undefined ? "" : `?story=${encodeURIComponent(of)}`;
    const answer = await fetch(`${serving.url}/api/sessions/import${query}`, { method: "POST", headers, body });
    return { status: answer.status, text: await answer.text() };
  }

  return { ...serving, story, begin, say, raw, importLines };
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
export async function shown(host: AttackedHost, sessionId: string, mostBytes = 20_000_000): Promise<string | null> {
  const { status, body } = await host.api("GET", `/api/sessions/${sessionId}`);
  if (status !== 200) return `the session answers ${status}`;
  const size = JSON.stringify((body as SessionView).turns).length;
  return size > mostBytes ? `the session is shown in ${size} bytes` : null;
}

/** A story that is one tool's flood. */
export function flood(mustNot: string, script: string): Door {
  return {
    mustNot,
    attack: async (host) => {
      const session = await host.begin(host.story(storyOf(script)));
      if (session === null) return "the story is refused";
      await host.say(session, "go");
      return shown(host, session);
    },
  };
}
