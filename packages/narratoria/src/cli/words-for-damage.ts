/** What `narratoria doctor` says of what is kept, and of what a repair has done: a line for each thing. */
import { type LostEnd, type Repair, type StoreFindings, wordsForLostEnds } from "../data.ts";
import type { Damage } from "../index.ts";
import { cleanLine } from "./terminal-text.ts";

export function describeKept({ unreadable, file, damage, lost, derived, assets }: StoreFindings): string[] {
  return [
    ...(unreadable === null ? [] : [`Sessions     ${cleanLine(unreadable)}`]),
    ...file.map((said) => `File         ${cleanLine(said, 160)}`),
    ...(lost.length === 0 ? [] : [`Lost         ${wordsForLostEnds(lost)}`, ...lost.map(wordsForLost)]),
    ...damage.map((each) => `Damaged      ${nameOf(each)}: ${wordsForDamage(each)}`),
    ...derived.map((id) => `Damaged      ${id.slice(0, 8)}: lists show something else than its log says`),
    ...assets.missing.map((sha256) => `Asset        ${sha256.slice(0, 12)} is missing`),
    ...assets.altered.map((sha256) => `Asset        ${sha256.slice(0, 12)} is not what was stored`),
    ...(assets.unused.length === 0 ? [] : [`Assets       ${assets.unused.length} that no story refers to`]),
  ];
}

export function describeRepair({ copy, sessions, swept, refused }: Repair): string[] {
  return [
    ...(copy === null ? [] : [`Copy         everything as it was found: ${copy}`]),
    ...(refused === null ? [] : [`Refused      ${cleanLine(refused)}`]),
    ...sessions.map(({ turnsKept, turnsLost, logsLost, ...session }) => {
      const logs = logsLost === 0 ? "" : `; ${logsLost} blocks of log lines are gone`;
      return `Repaired     ${nameOf(session)}: ${turnsKept} of ${turnsKept + turnsLost} turns are kept${logs}`;
    }),
    ...(swept === 0 ? [] : [`Swept        ${swept} assets that no story refers to`]),
  ];
}

function nameOf({ sessionId, title }: { sessionId: string; title: string }): string {
  return `"${cleanLine(title, 50)}" (${sessionId.slice(0, 8)})`;
}

function wordsForLost({ sessionId, title, after, until }: LostEnd): string {
  if (title === null) return `             ${sessionId.slice(0, 8)}: all of it`;
  return `             ${nameOf({ sessionId, title })}: events ${after + 1} to ${until}`;
}

function wordsForDamage(damage: Damage): string {
  switch (damage.kind) {
    case "altered":
      return `event ${damage.seq} is not what was written`;
    case "missing":
      return `between events ${damage.after} and ${damage.before} something is gone`;
    case "cut":
      return `after event ${damage.after} the end is gone`;
  }
}
