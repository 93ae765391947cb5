/** Tools that say far too much, each a small Python program in a story of its own, and a host that serves it. */
import { makeStory, type MadeStory } from "./made-story.ts";

export interface Flood {
  name: string;
  /** What it tries, for people. */
  tries: string;
  /** Python that prints with `say(dict)`, without the `done`. */
  script: string;
  /** How its attempt ends where there is time enough: a code, or null where it is no more than a tool may say. */
  code: string | null;
}

export const FLOODS: readonly Flood[] = [
  {
    name: "keys",
    tries: "60,000 keys and 30,000 small patches to them",
    script: `
for n in range(60):
  say({"type": "state_patch", "patch": {"wide": {f"key{n * 1000 + k}": k for k in range(1000)}}})
for n in range(30_000):
  say({"type": "state_patch", "patch": {"wide": {f"key{n}": -1}}})`,
    code: null,
  },
  {
    name: "patches",
    tries: "300,000 patches",
    script: `
for n in range(300_000):
  say({"type": "state_patch", "patch": {"count": n}})`,
    code: "TURN_LIMIT",
  },
  {
    name: "choices",
    tries: "300,000 choices",
    script: `
for n in range(300_000):
  say({"type": "ui_event", "event": "narrative_choice", "payload": {"choices": [f"way {n}"]}})`,
    code: "TURN_LIMIT",
  },
  {
    name: "ui",
    tries: "300,000 ui_events",
    script: `
for n in range(300_000):
  say({"type": "ui_event", "event": "shimmer", "payload": {"n": n}})`,
    code: "TURN_LIMIT",
  },
  {
    name: "large",
    tries: "100 ui_events of 7 MB",
    script: `
for n in range(100):
  say({"type": "ui_event", "event": "shimmer", "payload": {"text": "x" * 7_000_000}})`,
    code: "TURN_LIMIT",
  },
];

const HEAD = `import json, sys
def say(event): sys.stdout.write(json.dumps({"version": "0", **event}) + "\\n")
`;
const FOOT = `say({"type": "done", "ok": True})\n`;

/** A prompt of a flood's name sets it off; "wait" does nothing. */
export function makeFloodedStory(): MadeStory {
  const tools = FLOODS.map(({ name, script }) => [`tools/${name}`, `#!/usr/bin/python3\n${HEAD}${script}\n${FOOT}`]);
  const plans = FLOODS.map(({ name }) => {
    const tool = { toolId: name, toolPath: name, required: false, retryPolicy: { maxRetries: 0, backoffMs: 0 } };
    return { match: name, plan: { tools: [tool] }, narrative: "It is over." };
  });
  return makeStory({
    ...(Object.fromEntries(tools) as Record<string, string>),
    "plans.json": [{ opening: true, narrative: "A dam." }, { match: "wait", narrative: "You wait." }, ...plans],
    "story.json": { title: "The Dam", narrator: "stub" },
  });
}
