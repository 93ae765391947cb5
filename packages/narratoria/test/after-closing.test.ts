/** Requests that are still being answered when the host ends: refused in words, where they would be told of as bugs. */
import { expect, test } from "vitest";
import { createScriptedHost, end } from "./scripted-host.ts";

const SHUT = { kind: "refused", code: "conflict", message: "Narratoria is being shut down." };

test("[N1.4] what is asked at the end, and after it, is refused in words", async () => {
  const host = createScriptedHost({ narrate: () => end("x") });
  const session = await host.begin();
  const turnId = await host.play(session, "go");
  const { sessions } = host;
  const closing = sessions.close();
  const asked = [sessions.stateAt(session, turnId), sessions.turn(session, turnId), sessions.why(session, "/a")];
  await closing;
  // Some were quick enough; none may throw.
  for (const answer of await Promise.all(asked)) expect(answer).toEqual(expect.any(Object));
  expect(await sessions.stateAt(session, turnId)).toEqual(SHUT);
  expect(await sessions.prompt(session, "go on")).toEqual(SHUT);
  expect(await sessions.view("another")).toEqual(SHUT);
});
