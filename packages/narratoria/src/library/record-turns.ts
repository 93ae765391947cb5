/** What the tools of some turns answered, as a recording that a story can mount in their place. */
import { readFileSync, statSync } from "node:fs";
import { recordPlans, type ExecutedPlan, type Recording } from "../runtime/execution/recording.ts";
import { isRefusal, type SessionService } from "../runtime/seams/session-service.ts";

/** Null when no tool was used in any of them. */
export async function recordTurns(
  sessions: SessionService,
  sessionId: string,
  turnIds: readonly string[],
): Promise<Recording | null> {
  const plans: ExecutedPlan[] = [];
  const assetFiles = new Map<string, string>();
  for (const turnId of turnIds) await collect(sessions, sessionId, turnId, plans, assetFiles);
  return plans.length === 0 ? null : recordPlans(plans, (sha256) => readSmall(assetFiles.get(sha256)));
}

async function collect(
  sessions: SessionService,
  sessionId: string,
  turnId: string,
  plans: ExecutedPlan[],
  assetFiles: Map<string, string>,
): Promise<void> {
  const record = await sessions.turn(sessionId, turnId);
  if (isRefusal(record)) return;
  for (const planned of record.plans) {
    if (planned.result !== null && planned.result.toolResults.length > 0) plans.push(planned);
  }
  for (const event of record.trace) {
    const sha256 = event.event === "tool:event" ? event.data.asset?.sha256 : undefined;
    const asset = sha256 === undefined ? null : await sessions.asset(event.id);
    if (sha256 !== undefined && asset !== null && !isRefusal(asset)) assetFiles.set(sha256, asset.file);
  }
}

const MOST_ASSET_BYTES = 4 * 1024 * 1024;

/** In base64; null for a file that would make the recording unwieldy: it plays as a placeholder. */
export function readSmall(file: string | undefined): string | null {
  if (file === undefined || (statSync(file, { throwIfNoEntry: false })?.size ?? Infinity) > MOST_ASSET_BYTES)
    return null;
  return readFileSync(file).toString("base64");
}
