/** `narratoria record SESSION [--turn N]`: what tools answered there, as a file to mount in their place. */
import { readFileSync, statSync } from "node:fs";
import { recordPlans, type ExecutedPlan } from "../runtime/execution/recording.ts";
import { isRefusal, type SessionService } from "../runtime/seams/session-service.ts";
import { dataFolder } from "./data-folder.ts";
import { openToRead } from "./open-or-complain.ts";
import { printDocument } from "./print-json.ts";
import { named, refuse, type SessionsCommandOptions } from "./sessions.ts";

export async function recordCommand(name: string, options: SessionsCommandOptions): Promise<number> {
  const sessions = await openToRead(dataFolder(options.data));
  if (sessions === null) return 1;
  try {
    const session = await named(sessions, name);
    if (isRefusal(session)) return await refuse(session, options);
    const tree = await sessions.tree(session.sessionId);
    if (isRefusal(tree)) return await refuse(tree, options);
    const turns = tree.filter(
      ({ isOnHeadPath, number }) => isOnHeadPath && (options.turn ?? String(number)) === String(number),
    );
    const plans: ExecutedPlan[] = [];
    const assetFiles = new Map<string, string>();
    for (const { turnId } of turns.toSorted((a, b) => a.number - b.number)) {
      await collect(sessions, session.sessionId, turnId, plans, assetFiles);
    }
    if (plans.length === 0) {
      const message = "no tool was used there, so there is nothing to record";
      return await refuse({ kind: "refused", code: "not_found", message }, options);
    }
    await printDocument(
      recordPlans(plans, (sha256) => readSmall(assetFiles.get(sha256))),
      "indented",
    );
    return 0;
  } finally {
    await sessions.close();
  }
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
