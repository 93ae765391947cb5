/** Runs a plan's tool that is a module: one operation, one answer, which is the tool's output. */
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import { cancelledOutcome } from "../runtime/execution/cancel-reason.ts";
import type { ModuleCallReport, ModuleError, ModuleReply, Modules } from "../runtime/seams/modules.ts";
import { moduleError } from "../runtime/seams/modules.ts";
import { shownAddress } from "../runtime/mounts/service-address.ts";
import { isToolOfPlans, type EquippedMount, type ResolvedTool } from "../runtime/seams/resolved-tool.ts";
import type { AttemptOutcome, AttemptPort, AttemptReport, ToolOffer } from "../runtime/seams/tool-runner.ts";
import type { ErrorCategory, SandboxLevel } from "../story/execution-result.ts";
import type { ModuleDescriptor, ModuleKind } from "../story/module-descriptor.ts";
import type { MountedCall, MountRunner } from "./mount-runner.ts";

export function createModuleRunner(modules: Modules, level: SandboxLevel): MountRunner {
  async function run(call: MountedCall, port: AttemptPort, signal: AbortSignal): Promise<AttemptReport> {
    const { mount, operation, input, sessionId, timeoutMs } = call;
    const { tool } = mount;
    const { kind, transport } = tool.manifest as ModuleDescriptor;
    const report = isToolOfPlans(tool)
      ? await modules.invoke(mount, { op: operation, args: input, sessionId, timeoutMs }, port.clock, signal)
      : refusal(kind);
    const { reply } = report;
    const exitCode = reply.kind === "error" ? reply.error.details?.["exitCode"] : undefined;
    const killedBy = reply.kind === "error" ? reply.error.details?.["signal"] : undefined;
    return {
      outcome: signal.aborted && reply.kind === "error" ? cancelledOutcome(signal.reason) : outcomeOf(reply),
      exitCode: typeof exitCode === "number" ? exitCode : null,
      signal: typeof killedBy === "string" ? killedBy : null,
      stderrTail: report.stderr,
      warnings: report.warnings,
      eventsAfterDone: 0,
      // A service runs elsewhere, in whatever it runs in.
      sandbox: transport.type === "stdio" ? level : "none",
      trace: { runner: "module", transport: transport.type, op: operation, ...whereOf(tool) },
      ...(reply.kind === "ok" && { output: reply.result }),
      ...(report.wasCalled && { invocation: { op: operation, durationMs: report.durationMs } }),
    };
  }

  /** The mount's word on its inputs counts before the module's own. */
  async function offers(mount: EquippedMount, signal: AbortSignal): Promise<ToolOffer[]> {
    const { description = null, inputs = null } = mount.tool.manifest ?? {};
    const said = inputs === null ? await modules.describe(mount, signal) : null;
    const own = said?.["inputs"];
    return [{ operation: "run", description, inputs: inputs ?? (isJsonObject(own) ? own : null) }];
  }
  return { run, offers, endSession: (sessionId) => modules.endSession(sessionId), close: () => modules.close() };
}

/** The module's own code stays as it is; its category says what to do about it. */
function categoryOf(code: string): ErrorCategory {
  switch (code) {
    case "timeout":
      return "timeout";
    case "unreachable":
    case "oom":
      return "process_error";
    case "forbidden":
      return "forbidden";
    default:
      return "tool_failure";
  }
}

function outcomeOf(reply: ModuleReply): AttemptOutcome {
  if (reply.kind === "ok") return { kind: "completed", summary: null };
  const { code, message, details }: ModuleError = reply.error;
  const category = categoryOf(code);
  const error = { code, category, message, ...(details && { details }) };
  return { kind: category === "timeout" ? "timeout" : "failed", error };
}

function whereOf({ command, manifest }: ResolvedTool): JsonObject {
  const url = manifest?.transport.url;
  return url === undefined ? { command: [...command] } : { url: shownAddress(url) };
}

function refusal(kind: ModuleKind): ModuleCallReport {
  const reply = moduleError("unsupported_op", `a module of kind ${kind} is no tool of plans`);
  return { reply, wasCalled: false, durationMs: 0, stderr: "", warnings: [] };
}
