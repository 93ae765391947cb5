/** What a runner of one protocol gets: a call with what its reference means on this machine. `mounted-runner.ts` asks. */
import type { EquippedMount } from "../runtime/seams/resolved-tool.ts";
import type { AttemptPort, AttemptReport, AttemptCall, ToolOffer } from "../runtime/seams/tool-runner.ts";

export interface MountRunner {
  /** Runs one attempt to its end. Never rejects for what a tool does: every outcome is a value. */
  run(call: MountedCall, port: AttemptPort, signal: AbortSignal): Promise<AttemptReport>;
  offers(mount: EquippedMount, signal: AbortSignal): Promise<ToolOffer[]>;
  endSession(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

/** A call, with the tool itself in place of its reference. */
export interface MountedCall extends Omit<AttemptCall, "tool"> {
  readonly mount: EquippedMount;
}

/** What a tool offers that is one thing: what its manifest says of it. */
export function offerOfManifest({ tool: { manifest } }: EquippedMount): Promise<ToolOffer[]> {
  const { description = null, inputs = null } = manifest ?? {};
  return Promise.resolve([{ operation: "run", description, inputs }]);
}

/** For runners that keep nothing running between attempts. */
export const KEEPS_NOTHING: Pick<MountRunner, "endSession" | "close"> = {
  endSession: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
