/**
 * Makes calls on this machine: finds the tool that a call names, and hands it to the runner of its mount's protocol, with
 * the secrets it was granted; none of them comes out again. A bare executable speaks ours; a recorded tool is played.
 */
import type { HealthBook } from "../runtime/mounts/mount-health.ts";
import { RECORDED } from "../runtime/mounts/read-manifest.ts";
import type { ToolRegistry } from "../runtime/mounts/tool-registry.ts";
import { equip, type Equipment } from "../runtime/policy/equip-mount.ts";
import type { AttemptReport, ToolReference, ToolRunner } from "../runtime/seams/tool-runner.ts";
import type { ToolProtocol } from "../story/module-descriptor.ts";
import { KEEPS_NOTHING, offerOfManifest, type MountRunner } from "./mount-runner.ts";

export type RunnersByProtocol = { readonly [protocol in ToolProtocol]: MountRunner };

export interface MountedRunnerOptions {
  registry: ToolRegistry;
  byProtocol: RunnersByProtocol;
  recorded: MountRunner;
  health: HealthBook;
}

export function createMountedRunner({ registry, byProtocol, recorded, health }: MountedRunnerOptions): ToolRunner {
  const all = [...Object.values(byProtocol), recorded];

  function find(reference: ToolReference): { equipment: Equipment; runner: MountRunner } | null {
    const found = registry.find(reference);
    if (found === null) return null;
    const { command, manifest } = found.tool;
    const runner = command[0] === RECORDED ? recorded : byProtocol[manifest?.protocol ?? "narratoria/0"];
    return { equipment: equip(found), runner };
  }

  return {
    run: async (call, port, signal) => {
      const { tool: reference, ...asked } = call;
      const found = find(reference);
      if (found === null) return notStarted(`no tool named ${reference.tool} is known here`);
      const { equipment, runner } = found;
      const { mount, clean, cleanPort } = equipment;
      const report = clean(await runner.run({ ...asked, mount }, cleanPort(port), signal));
      // What was cancelled says nothing about a tool.
      if (!signal.aborted) health.note(mount.storyDir, mount.tool.skill, report.outcome);
      return report;
    },
    offers: async (reference, signal) => {
      const found = find(reference);
      if (found === null) return [];
      const { equipment, runner } = found;
      return equipment.clean(await runner.offers(equipment.mount, signal));
    },
    endSession: async (sessionId) => {
      await Promise.all(all.map((runner) => runner.endSession(sessionId)));
    },
    close: async () => {
      for (const runner of all) await runner.close();
    },
  };
}

/** Stands in for a runner that does not exist yet. */
export function unavailableRunner(protocol: ToolProtocol): MountRunner {
  return {
    run: () => Promise.resolve(notStarted(`tools that speak ${protocol} are not available yet`)),
    offers: offerOfManifest,
    ...KEEPS_NOTHING,
  };
}

function notStarted(message: string): AttemptReport {
  return {
    outcome: { kind: "failed", error: { category: "process_error", code: "SPAWN_FAILED", message } },
    exitCode: null,
    signal: null,
    stderrTail: "",
    warnings: [],
    eventsAfterDone: 0,
    sandbox: "none",
    trace: {},
  };
}
