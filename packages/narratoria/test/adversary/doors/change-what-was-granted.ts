import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { askingStory, type Door } from "../door.ts";

/** Code that the tool could import or be run by, in the story and behind a link of its `node_modules`. */
const PARTS = [
  "tools/helper.py",
  "lib/deep/er/helper.py",
  "sitecustomize.py",
  ".venv/pyvenv.cfg",
  ".venv/lib/python3.11/site-packages/thing/__init__.py",
  ".venv/lib/python3.11/site-packages/thing.pth",
  "node_modules/thing/package.json",
  "node_modules/thing/index.js",
  "node_modules/linked/index.js",
  "tools/it",
];

export default {
  mustNot: "run with what was granted after something changed that it imports, wherever that lies",
  attack: async (host) => {
    const story = host.story({ ...askingStory(["net.fetch"]), "node_modules/thing/package.json": {} });
    symlinkSync(host.story({ "package.json": { name: "linked" } }), join(story, "node_modules/linked"));
    for (const part of PARTS) change(join(story, part));
    const session = (await host.begin(story)) ?? "";
    for (const part of [null, ...PARTS]) {
      if (part !== null) change(join(story, part));
      const { asks } = await host.say(session, "go");
      if (asks.length === 0) return `nobody is asked after ${part} has changed`;
      await host.answer(session, "always");
      if ((await host.say(session, "go")).asks.length > 0) return `it is asked again although nothing has changed`;
    }
    return null;
  },
} satisfies Door;

/** No file that may be executed, which would count whatever its name is. */
function change(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${file.endsWith("json") ? "" : "#"}\n`, { flag: "a", mode: 0o644 });
}
