/** Turns in which something around the narrator and the tools goes wrong, or is somebody else's. */
import { expect, test } from "vitest";
import { PLAIN_KEEPER } from "../src/runtime/turns/module-context.ts";
import { createScriptedHost, end, eventsNamed, ok, streamOf } from "./scripted-host.ts";

test("[N1.4] a story that cannot be read any more ends the turn in words; what could be chosen before still can", async () => {
  let isBroken = false;
  const problems = [
    { file: "story.ink", line: 3, message: "no such knot" },
    { file: "story.json", message: "another" },
  ];
  const choices = [{ label: "North" }];
  const host = createScriptedHost({
    narrate: () => end("You walk.", { choices }),
    openStory: () => (isBroken ? { kind: "invalid", problems } : null),
  });
  const session = await host.begin();
  isBroken = true;
  const turnId = await host.play(session, "go");
  expect(await host.sessions.turnEnded(session, turnId)).toBe("failed");
  const view = ok(await host.sessions.view(session));
  expect(view.turns.at(-1)).toMatchObject({ status: "failed", passages: [], choices });
  expect(view.turns.at(-1)?.notice).toBe(
    "The story itself cannot be read just now (story.ink, line 3: no such knot). When that is mended, try again.",
  );
  expect(view.choices).toMatchObject(choices);
  expect(eventsNamed(streamOf(host.store, session), "turn:end").at(-1)?.error).toEqual({
    code: "story_broken",
    message: "the story cannot be read: story.ink, line 3: no such knot",
  });
  isBroken = false;
  expect(await host.sessions.turnEnded(session, await host.play(session, "go"))).toBe("completed");
  await host.sessions.close();
});

test("[N1.4] a fault of ours ends the turn in words; the log says what it was", async () => {
  let isBroken = false;
  const host = createScriptedHost({
    narrate: () => end("You walk."),
    openStory: () => {
      if (isBroken) throw new Error("a bug");
      return null;
    },
  });
  const session = await host.begin();
  isBroken = true;
  await host.play(session, "go");
  const turn = ok(await host.sessions.view(session)).turns.at(-1);
  expect(turn?.notice).toBe("Something went wrong while telling this turn. Try again, or take another way.");
  expect(eventsNamed(streamOf(host.store, session), "turn:end").at(-1)).toMatchObject({
    status: "failed",
    error: { code: "internal", message: "a bug" },
  });
  await host.sessions.close();
});

test("[K1.2] what the keeper of a story's context does is in the log of the turn", async () => {
  const remembered: string[] = [];
  const data = { op: "get" };
  const host = createScriptedHost({
    narrate: ({ prompt }) => end(prompt ?? "It begins."),
    openContext: async (_, __, note) => {
      note({ event: "module:invoke", component: "narrator", module: "chronicler", status: "ok", duration_ms: 0, data });
      const remember = async (turnId: string, { narrative }: { narrative: string }) =>
        void remembered.push(`${turnId} ${narrative}`);
      return { ...PLAIN_KEEPER, remember };
    },
  });
  const session = await host.begin();
  const turnId = await host.play(session, "go");
  const [, noted] = eventsNamed(streamOf(host.store, session), "module:invoke");
  expect(noted).toMatchObject({ module: "chronicler", turn_id: turnId, data });
  expect(remembered.at(-1)).toBe(`${turnId} go`);
  await host.sessions.close();
});
