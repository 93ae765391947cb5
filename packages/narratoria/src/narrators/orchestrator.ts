/**
 * A module as the narrator: the story's mount of kind `orchestrator` is asked `next`, and answers with a plan or the
 * end of the turn. What it must remember it gives as `memory`, like every narrator.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type { Choice } from "@narratoria/tool/protocol";
import { z } from "zod";
import type { NarratorKind, Story } from "../runtime/mounts/load-story.ts";
import type { Modules } from "../runtime/seams/modules.ts";
import type { Narrator, NarratorAnswer, NarratorQuestion } from "../runtime/seams/narrator.ts";
import type { Permissions } from "../runtime/policy/permissions.ts";
import { authorize } from "../runtime/policy/policy.ts";
import type { ResolvedTool } from "../runtime/seams/resolved-tool.ts";
import type { SandboxLevel } from "../story/execution-result.ts";
import { redact, secretsFor } from "../runtime/policy/secrets.ts";
import { jsonSchema } from "../story/json-value-schema.ts";

export interface OrchestratorHost {
  modules: Modules;
  permissions: Pick<Permissions, "policy" | "grants">;
  sandboxLevel: SandboxLevel;
}

const DEFAULT_TIMEOUT_MS = 30_000;

export function orchestratorNarrator(host: OrchestratorHost): NarratorKind {
  return {
    defaultFile: null,
    open: async (story) => {
      const found = [...story.mounts.values()].filter(({ manifest }) => isOrchestrator(manifest));
      const [tool] = found;
      if (tool !== undefined && found.length === 1)
        return { kind: "narrator", narrator: createOrchestrator(host, story, tool) };
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

function createOrchestrator(host: OrchestratorHost, story: Story, tool: ResolvedTool): Narrator {
  async function next(question: NarratorQuestion, signal: AbortSignal): Promise<NarratorAnswer> {
    const policy = { ...host.permissions.policy, grants: host.permissions.grants() };
    const { refusal } = authorize(tool, policy, host.sandboxLevel);
    if (refusal !== null) throw new Error(refusal.message);
    const module = { tool, storyDir: story.dir, secrets: secretsFor(tool.needs, process.env) };
    const timeoutMs = tool.manifest?.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const { sessionId = null, ...args } = question;
    const call = { op: "next", args: args as unknown as JsonObject, sessionId, timeoutMs };
    const report = await host.modules.invoke(module, call, signal);
    const reply = redact(report.reply, module.secrets);
    if (reply.kind === "error") throw new Error(`${tool.skill}: ${reply.error.code}: ${reply.error.message}`);
    const answer = answerSchema.safeParse(reply.result);
    if (!answer.success)
      throw new Error(`${tool.skill} answered with neither a plan nor an end: ${answer.error.message}`);
    return { ...toAnswer(answer.data), invocation: { module: tool.skill, op: "next", durationMs: report.durationMs } };
  }
  return { next };
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
