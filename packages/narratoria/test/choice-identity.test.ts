/** Choices are chosen by identity: equal labels are different choices, for a program, over HTTP and in a script. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { accepted, openNarratoria, type Narratoria, type Told } from "../src/index.ts";
import { createApp } from "../src/server/index.ts";
import { narratoria as command } from "./narratoria-command.ts";
import { makeStoryFolder } from "./narrator-session.ts";
import { createScriptedHost, end, ok } from "./scripted-host.ts";

const DOORS = `
Three doors, all alike.
-> doors
== doors
+ [Open the door] Behind the first is a cupboard. -> doors
+ [Open the door] Behind the second is a wall. -> doors
+ [Open the door] Behind the third is the sea. # ending: The sea
  -> END
`;

const TOKEN = "a-token-of-some-length-0123456789";

const hosts: Narratoria[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

async function open(dataDir?: string): Promise<{ host: Narratoria; opening: Told }> {
  const stories = [makeStoryFolder({ "story.ink": DOORS, "story.json": JSON.stringify({ title: "Doors" }) })];
  const host = await openNarratoria({ sandbox: "none", stories, dataDir });
  hosts.push(host);
  return { host, opening: accepted(await host.sessions.begin()) };
}

function idAt({ choices }: Told, place: number): { choiceId: string } {
  return { choiceId: choices[place]?.id ?? "" };
}

describe("[L1.3] three choices with one label", () => {
  test("are three choices, each taken by its id, and the record says which", async () => {
    const { host, opening } = await open();
    const { sessions } = host;
    expect(opening.choices.map(({ label }) => label)).toEqual(Array(3).fill("Open the door"));
    expect(new Set(opening.choices.map(({ id }) => id)).size).toBe(3);
    const second = accepted(await sessions.say(opening.sessionId, idAt(opening, 1)));
    expect(second.text).toContain("Behind the second is a wall.");
    const third = accepted(await sessions.say(opening.sessionId, idAt(second, 2)));
    expect(third).toMatchObject({ ending: "The sea" });

    const { turnId } = accepted(await sessions.retry(opening.sessionId));
    await sessions.turnEnded(opening.sessionId, turnId);
    expect(accepted(await sessions.view(opening.sessionId)).turns.at(-1)).toMatchObject({
      prompt: "Open the door",
      ending: "The sea",
    });
    const forked = accepted(await sessions.fork(opening.sessionId, second.turnId ?? ""));
    const first = accepted(await sessions.say(forked.sessionId, idAt(second, 0)));
    expect(first.text).toContain("cupboard");
  });

  test("typed, they are asked about, with all three as choices", async () => {
    const { host, opening } = await open();
    const asked = accepted(await host.sessions.say(opening.sessionId, "open the door"));
    expect(asked.choices.map(({ id }) => id)).toEqual(opening.choices.map(({ id }) => id));
    expect(asked.text).not.toContain("Behind");
    const taken = accepted(await host.sessions.say(opening.sessionId, "2"));
    expect(taken.text).toContain("Behind the second is a wall.");
  });

  test("what is not open any more is refused, and nothing happens", async () => {
    const { host, opening } = await open();
    const { sessions } = host;
    const next = accepted(await sessions.say(opening.sessionId, idAt(opening, 0)));
    for (const choiceId of [opening.choices[2]?.id ?? "", "nobody's"]) {
      const answer = await sessions.prompt(opening.sessionId, { choiceId });
      expect(answer).toMatchObject({ kind: "refused", code: "conflict" });
    }
    expect(accepted(await sessions.view(opening.sessionId)).headTurnId).toBe(next.turnId);
    // From the turn that offered it, it is another take.
    const parentTurnId = opening.turnId ?? "";
    const other = accepted(await sessions.say(opening.sessionId, idAt(opening, 2), { parentTurnId }));
    expect(other).toMatchObject({ ending: "The sea" });
  });

  test("over HTTP a prompt has a text or a choiceId, never both", async () => {
    const { host, opening } = await open();
    const { sessions } = host;
    const app = createApp({ sessions, tools: host.tools, token: TOKEN });
    const post = (body: object, headers: object = {}): Promise<Response> =>
      Promise.resolve(
        app.request(`http://127.0.0.1/api/sessions/${opening.sessionId}/prompts`, {
          method: "POST",
          headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers },
          body: JSON.stringify(body),
        }),
      );
    const refusals: [object, number][] = [
      [{}, 400],
      [{ text: " " }, 400],
      [{ text: "x", ...idAt(opening, 1) }, 400],
      [{ choiceId: "nobody's" }, 409],
    ];
    for (const [body, status] of refusals) expect((await post(body)).status).toBe(status);
    const key = { "idempotency-key": "k" };
    const answer = await post(idAt(opening, 1), key);
    expect(answer.status).toBe(202);
    expect(await (await post(idAt(opening, 1), key)).json()).toEqual(await answer.json());
    expect((await post(idAt(opening, 0), key)).status).toBe(409);
    await sessions.idle(opening.sessionId);
    expect(JSON.stringify(accepted(await sessions.view(opening.sessionId)))).toContain("a wall");
  });

  test("in a script a number is the choice with that number", async () => {
    const story = makeStoryFolder({ "story.ink": DOORS, "story.json": JSON.stringify({ title: "Doors" }) });
    mkdirSync(join(story, "scripts"));
    const script = join(story, "scripts", "sea.txt");
    writeFileSync(script, "2\n3\n");
    const { stdout, exitCode } = await command(["play", "--story", story, "--script", script]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Behind the second is a wall.");
    expect(stdout).toContain("~ The sea ~");
  });
});

test("[L1.3] every choice has an id, also one that came without; a log that has none is read all the same", async () => {
  const host = createScriptedHost({
    narrate: ({ prompt, choiceId }) =>
      end(`${prompt} ${choiceId}`, { choices: [{ label: "On" }, { label: "On" }, { id: "x", label: "Off" }] }),
  });
  const session = await host.begin();
  const { choices } = ok(await host.sessions.view(session));
  expect(choices).toMatchObject([{ label: "On" }, { label: "On" }, { id: "x", label: "Off" }]);
  const ids = choices.map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
  ok(await host.sessions.prompt(session, { choiceId: ids[1] ?? "" }));
  await host.sessions.idle(session);
  const { turns } = ok(await host.sessions.view(session));
  expect(turns.at(-1)).toMatchObject({ prompt: "On", passages: [{ text: `On ${ids[1]}` }] });
  await host.sessions.close();
});
