/** A small story of its own, with tools that behave badly on purpose, and a data folder: for tests of the commands. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openSessions } from "../src/create-narratoria.ts";
import type { SessionService, SessionSummary } from "../src/runtime/seams/session-service.ts";
import { narratoria, type CommandOptions, type CommandRun } from "./narratoria-command.ts";

export interface Playground extends Disposable {
  root: string;
  story: string;
  data: string;
  /** The options with which a session outlives the command. */
  kept: string[];
  write(file: string, text: string): string;
  play(prompts: readonly string[], more?: readonly string[], options?: CommandOptions): Promise<CommandRun>;
  /** Any command on the data folder. */
  run(...args: string[]): Promise<CommandRun>;
  sessions(): Promise<SessionSummary[]>;
  /** Sessions opened by this process. */
  host(): Promise<SessionService & AsyncDisposable>;
}

const INK = `EXTERNAL ok(id)
EXTERNAL state(path)
A cellar.
-> cellar
=== cellar
+ [Light the lamp] You strike a match. # tool: lamp1 lamp
  Now what?
+ [Listen] You listen.
+ [Read the sign] You hold the light to it.
  The sign says: \u001b[31mred\u001b[0m\u001b]0;title\u0007 \u202eend. # tool: sign1 sign
  So much for signs.
+ [Wait long # hidden] You wait. # tool: wait1 sleeper
  It was long.
+ [Leave] You leave. # ending: Gone
  -> END
- -> cellar
=== function ok(id)
~ return true
=== function state(path)
~ return false
`;

/** A PNG of two by three pixels, as far as anybody looks. */
const PNG =
  "\\211PNG\\r\\n\\032\\n\\000\\000\\000\\rIHDR\\000\\000\\000\\002\\000\\000\\000\\003\\010\\002\\000\\000\\000";

const LAMP = `#!/bin/sh
printf '${PNG}' > "$NARRATORIA_ASSET_DIR/picture.png"
printf 'no picture' > "$NARRATORIA_ASSET_DIR/wrong.png"
say() { printf '%s\\n' "$1"; }
say '{"version":"0","type":"log","level":"info","message":"rubbing","fields":{"progress":0.5}}'
say '{"version":"0","type":"state_patch","patch":{"lamp":{"lit":true}}}'
for name in picture wrong; do
  image="\\"kind\\":\\"image\\",\\"mediaType\\":\\"image/png\\",\\"path\\":\\"$NARRATORIA_ASSET_DIR/$name.png\\""
  say "{\\"version\\":\\"0\\",\\"type\\":\\"asset\\",\\"assetId\\":\\"$name\\",$image}"
done
say '{"version":"0","type":"error","errorCode":"SMOKE","errorMessage":"It smokes."}'
say '{"version":"0","type":"done","ok":true,"summary":"Lit."}'
`;

const SIGN = `#!/bin/sh
cat <<'END'
{"version":"0","type":"log","level":"info","message":"\\u001b[2J cleared"}
{"version":"0","type":"state_patch","patch":{"sign":{"text":"evil\\u001b[2K\\u009b1A \\u202etext\\u0007"}}}
{"version":"0","type":"ui_event","event":"strange\\u001b[H","payload":{"a":"\\u001b[5m"}}
{"version":"0","type":"error","errorCode":"X","errorMessage":"\\u001b]8;;http://example.org\\u0007link"}
{"version":"0","type":"done","ok":true}
END
`;

export function createPlayground(): Playground {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-play-")));
  chmodSync(root, 0o755);
  const story = join(root, "story");
  const data = join(root, "data");
  const kept = ["--data", data];
  const write = (file: string, text: string): string => {
    const path = join(root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  write("story/story.json", JSON.stringify({ title: "The Cellar", state: { lamp: { lit: false } } }));
  write("story/story.ink", INK);
  chmodSync(write("story/tools/lamp", LAMP), 0o755);
  chmodSync(write("story/tools/sign", SIGN), 0o755);
  chmodSync(write("story/tools/sleeper", "#!/bin/sh\nexec sleep 20\n"), 0o755);
  const run = (...args: string[]): Promise<CommandRun> => narratoria([...args, ...kept]);
  return {
    root,
    story,
    data,
    kept,
    write,
    run,
    play: (prompts, more = [], options = {}) => {
      const script = write("script.txt", `${prompts.join("\n")}\n`);
      return narratoria(["play", "--script", script, "--story", story, ...more], options);
    },
    sessions: async () => JSON.parse((await run("sessions", "list", "--json")).stdout) as SessionSummary[],
    host: async () => {
      const sessions = await openSessions({ dataDir: data, storyDir: story });
      return { ...sessions, [Symbol.asyncDispose]: () => sessions.close() };
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
