/** The gallery story, served and played to where the tests of the other places begin. */
import type { SessionView } from "../../src/story/session-view.ts";
import { createPlayground, serve, type Serving } from "../serve-process.ts";
import { makeGalleryStory } from "./gallery-story.ts";

export interface Gallery extends AsyncDisposable {
  server: Serving;
  /** A new session, played with these prompts. */
  play: (...prompts: string[]) => Promise<SessionView>;
  say: (sessionId: string, text: string, parentTurnId?: string) => Promise<SessionView>;
}

export async function openGallery(): Promise<Gallery> {
  const ground = createPlayground();
  const story = makeGalleryStory();
  const server = await serve(["--port", "0", "--data", ground.data, "--story", story.path]);
  const rest = (sessionId: string, turnId: string | null): Promise<SessionView> =>
    server.until(sessionId, ({ turns }) => {
      const last = turns.at(-1);
      return last !== undefined && last.status !== "running" && (turnId === null || last.turnId === turnId);
    });
  async function say(sessionId: string, text: string, parentTurnId?: string): Promise<SessionView> {
    const sent = { text, ...(parentTurnId !== undefined && { parentTurnId }) };
    const { body } = await server.api("POST", `/api/sessions/${sessionId}/prompts`, sent);
    return rest(sessionId, (body as { turnId: string }).turnId);
  }
  return {
    server,
    say,
    play: async (...prompts) => {
      const { body } = await server.api("POST", "/api/sessions", {});
      const { sessionId } = body as { sessionId: string };
      let view = await rest(sessionId, null);
      for (const prompt of prompts) view = await say(sessionId, prompt);
      return view;
    },
    [Symbol.asyncDispose]: async () => {
      await server.end("SIGTERM");
      story[Symbol.dispose]();
      ground[Symbol.dispose]();
    },
  };
}
