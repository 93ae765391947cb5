/** The two plans of one prompt: the default story's own ink and real tools, with a torch-lighter that fails. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openSessions } from "../src/create-narratoria.ts";
import type { Plan } from "../src/story/plan.ts";
import { STORY_DIR, type StoryJson } from "./default-story.ts";
import { ok } from "./scripted-host.ts";

const dirs: string[] = [];
afterEach(() => dirs.splice(0).forEach((dir) => rmSync(dir, { recursive: true, force: true })));

function copyStory(): string {
  const dir = mkdtempSync(join(tmpdir(), "narratoria-replan-"));
  dirs.push(dir);
  chmodSync(dir, 0o755);
  cpSync(STORY_DIR, join(dir, "story"), { recursive: true });
  return join(dir, "story");
}

function breakTorch(story: string): void {
  const file = JSON.parse(readFileSync(join(story, "story.json"), "utf8")) as StoryJson;
  const torch = file.mounts.find(({ name }) => name === "torch-lighter");
  if (torch !== undefined) torch.transport.command = ["./broken/torch-lighter"];
  writeFileSync(join(story, "story.json"), JSON.stringify(file));
  mkdirSync(join(story, "broken"));
  const said = '{"version":"0","type":"done","ok":false,"summary":"the torch is damp"}';
  writeFileSync(join(story, "broken", "torch-lighter"), `#!/bin/sh\necho '${said}'\n`);
  chmodSync(join(story, "broken", "torch-lighter"), 0o755);
}

test("[N1.2] the second plan has the failed skill disabled and the first plan as its parent", async () => {
  const storyDir = copyStory();
  breakTorch(storyDir);
  const sessions = await openSessions({ storyDir, sandbox: "best" });
  const { sessionId } = ok(await sessions.create({}));
  await sessions.idle(sessionId);
  const { turnId } = ok(await sessions.prompt(sessionId, "I light the torch and examine the door"));
  await sessions.turnEnded(sessionId, turnId);

  const { plans, turn } = ok(await sessions.turn(sessionId, turnId));
  const [first, second] = plans.map(({ plan }) => plan as Plan);
  expect(plans).toHaveLength(2);
  expect(first?.tools.map(({ toolPath, dependencies }) => [toolPath, dependencies.length])).toEqual([
    ["torch-lighter", 0],
    ["door-examiner", 1],
  ]);
  expect([first?.disabledSkills, first?.metadata]).toEqual([[], { generationAttempt: 1, parentPlanId: null }]);
  expect(plans[0]?.result).toMatchObject({ success: false, canReplan: true, disabledSkills: ["torch-lighter"] });
  expect(plans[0]?.result?.toolResults.map(({ state, retryCount }) => `${state} ${retryCount}`)).toEqual([
    "failed 3",
    "skipped 0",
  ]);
  expect(second?.disabledSkills).toEqual(["torch-lighter"]);
  expect(second?.metadata).toEqual({ generationAttempt: 2, parentPlanId: first?.requestId });
  expect(second?.tools.map(({ toolPath }) => toolPath)).toEqual(["door-examiner"]);
  expect(plans[1]?.result?.success).toBe(true);
  expect(turn.status).toBe("completed");
  expect(turn.choices.length).toBeGreaterThan(0);
  expect(ok(await sessions.view(sessionId)).state).toHaveProperty("discovered");
  await sessions.close();
}, 60_000);
