/** `narratoria serve` as a process of its own, with a small story whose tools light, paint, wait and cling. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SessionView } from "../src/story/session-view.ts";

const COMMAND = fileURLToPath(new URL("../bin/narratoria.js", import.meta.url));

export interface Serving {
  url: string;
  /** What was printed: it signs in one browser. */
  address: string;
  pid: number;
  token: string;
  stderr: () => string;
  end: (signal: NodeJS.Signals) => Promise<number | null>;
  /** Its exit code. */
  ended: Promise<number | null>;
  api: (method: string, path: string, body?: object) => Promise<{ status: number; body: unknown }>;
  /** Polls until the session is as the test wants it. */
  until: (sessionId: string, is: (view: SessionView) => boolean) => Promise<SessionView>;
}

/** Fails with what the command said when it ends before it serves. */
export async function serve(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  node: string = process.execPath,
  { command = COMMAND, account = {} }: { command?: string; account?: { uid?: number; gid?: number } } = {},
): Promise<Serving> {
  // Also where there is no full sandbox: most tests are about something else.
  const child = spawn(node, [command, "serve", "--allow-unconfined", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that it can be signalled as one.
    detached: true,
    ...account,
    env: { ...process.env, ...env },
  });
  const ended = once(child, "exit").then(() => child.exitCode);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const address = await printedAddress(child, () => stderr);
  const token = tokenOf(args, { ...process.env, ...env });

  async function api(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(address.origin + path, { method, headers, ...content });
    return { status: response.status, body: await response.json() };
  }
  return {
    url: address.origin,
    address: address.href,
    pid: child.pid ?? 0,
    token,
    stderr: () => stderr,
    ended,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      await once(child, "exit");
      return child.exitCode;
    },
    api,
    until: async (sessionId, is) => {
      for (;;) {
        const { body } = await api("GET", `/api/sessions/${sessionId}`);
        const view = body as SessionView;
        if (is(view)) return view;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

/** The one given, or the one kept. */
function tokenOf(args: readonly string[], env: NodeJS.ProcessEnv): string {
  const valueOf = (option: string): string | undefined => args[args.indexOf(option) + 1 || args.length];
  const given = valueOf("--token") ?? env["NARRATORIA_TOKEN"];
  const data = valueOf("--data") ?? env["NARRATORIA_DATA"] ?? "";
  return given ?? readFileSync(join(data, "token"), "utf8").trim();
}

async function printedAddress(child: ChildProcess, stderr: () => string): Promise<URL> {
  let stdout = "";
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      const printed = /^Narratoria is at (\S+)\n/.exec(stdout)?.[1];
      if (printed !== undefined) resolve(new URL(printed));
    });
    child.on("exit", (code) => reject(new Error(`ended with ${code}: ${stderr()}`)));
  });
}

export interface Playground extends Disposable {
  story: string;
  data: string;
}

export function createPlayground(): Playground {
  const root = mkdtempSync(join(tmpdir(), "narratoria-serve-"));
  chmodSync(root, 0o755);
  const story = join(root, "story");
  mkdirSync(join(story, "tools"), { recursive: true });
  const lit = '{"version":"0","type":"state_patch","patch":{"lamp":{"lit":true}}}';
  const done = '{"version":"0","type":"done","ok":true}';
  const picture = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
  const asset =
    '{"version":"0","type":"asset","assetId":"p","kind":"image","mediaType":"image/svg+xml","path":"%s/p.svg"}';
  const tools = {
    light: `printf '%s\\n' '${lit}' '${done}'`,
    wait: `printf '%s\\n' '${lit}'\nsleep 60`,
    cling: `trap '' TERM\nprintf '%s\\n' '${lit}'\nsleep 60`,
    paint: `echo "${picture}" > "$NARRATORIA_ASSET_DIR/p.svg"\nprintf '${asset}\\n' "$NARRATORIA_ASSET_DIR"\necho '${done}'`,
  };
  for (const [name, script] of Object.entries(tools)) {
    writeFileSync(join(story, "tools", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const entries = Object.keys(tools).map((name) => {
    return { match: name, plan: { tools: [{ toolId: name, toolPath: name }] }, narrative: `You ${name}.` };
  });
  writeFileSync(join(story, "plans.json"), JSON.stringify([{ opening: true, narrative: "A cellar." }, ...entries]));
  writeFileSync(join(story, "story.json"), JSON.stringify({ title: "The Cellar", narrator: "stub" }));
  return { story, data: join(root, "data"), [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}
