/**
 * A module as the narrator: the story's mount of kind `orchestrator` is asked `next`, and answers with a plan or the
 * end of the turn. What it must remember it gives as `memory`, like every narrator.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type { Choice } from "@narratoria/tool/protocol";
import { z } from "zod";
import type { NarratorKind, Story } from "../runtime/mounts/load-story.ts";
import type { ModuleCaller } from "../runtime/policy/call-module.ts";
import {
  NarratorFailed,
  type Narrator,
  type NarratorAnswer,
  type NarratorQuestion,
  type Stage,
} from "../runtime/seams/narrator.ts";
import type { ResolvedTool } from "../runtime/seams/resolved-tool.ts";
import { jsonSchema } from "../story/json-value-schema.ts";

const DEFAULT_TIMEOUT_MS = 30_000;

export function orchestratorNarrator(caller: ModuleCaller): NarratorKind {
  return {
    defaultFile: null,
    open: async (story) => {
      const found = [...story.mounts.values()].filter(({ manifest }) => isOrchestrator(manifest));
      const [tool] = found;
      if (tool !== undefined && found.length === 1)
        return { kind: "narrator", narrator: createOrchestrator(caller, story, tool) };
      const message =
        tool === undefined
          ? "the narrator is a module, and no mount is an amplifier/1 module of kind orchestrator"
          : `one mount must be the orchestrator, and these are: ${found.map(({ skill }) => skill).join(", ")}`;
      return { kind: "invalid", problems: [{ file: "story.json", pointer: "/narrator", message }] };
    },
  };
}

function isOrchestrator(manifest: ResolvedTool["manifest"]): boolean {
  return manifest?.kind === "orchestrator" && manifest.protocol === "amplifier/1";
}

function createOrchestrator(caller: ModuleCaller, story: Story, tool: ResolvedTool): Narrator {
  async function next(question: NarratorQuestion, stage: Stage, signal: AbortSignal): Promise<NarratorAnswer> {
    const timeoutMs = tool.manifest?.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const call = { op: "next", args: await asArgs(question, stage), sessionId: question.sessionId, timeoutMs };
    const mount = { tool, storyDir: story.dir };
    await stage.noteDecisions((await caller.judge(mount)).decisions);
    const { reply, durationMs } = await caller.call(mount, call, signal);
    const invocation = { module: tool.skill, op: "next", durationMs };
    if (reply.kind === "error") {
      throw new NarratorFailed(`${tool.skill}: ${reply.error.code}: ${reply.error.message}`, invocation);
    }
    const answer = answerSchema.safeParse(reply.result);
    if (!answer.success) {
      const why = `${tool.skill} answered with neither a plan nor an end: ${answer.error.message}`;
      throw new NarratorFailed(why, invocation);
    }
    return { ...toAnswer(answer.data), invocation };
  }
  return { next, close: () => Promise.resolve() };
}

/** The question as JSON, the tools' inputs among it: a module cannot ask back. */
async function asArgs(question: NarratorQuestion, stage: Stage): Promise<JsonObject> {
  const { prompt, choiceId, context, disabledSkills, plans, told } = question;
  const args = { prompt, choiceId, context: { ...context, skills: await stage.tools() }, disabledSkills, plans, told };
  return JSON.parse(JSON.stringify(args)) as JsonObject;
}

const choiceSchema = z.union([
  z.string().min(1),
  z.custom<Choice>((value) => isJsonObject(value) && typeof value["label"] === "string"),
]);
const answerSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("plan"), plan: jsonSchema }),
  z.object({
    kind: z.literal("end"),
    narrative: z.string().default(""),
    choices: z.array(choiceSchema).default([]),
    memory: jsonSchema.default(null as Json),
    ending: z.string().nullish(),
  }),
]);

function toAnswer(answer: z.output<typeof answerSchema>): NarratorAnswer {
  if (answer.kind === "plan") return answer;
  const { ending, choices, ...rest } = answer;
  const labelled = choices.map((choice) => (typeof choice === "string" ? { label: choice } : choice));
  return { ...rest, choices: labelled, ...(typeof ending === "string" && { ending }) };
}
