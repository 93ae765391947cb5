/** How a skill has been doing: three failures in a row make it degraded, three more disable it for a while. */
import { z } from "zod";

export interface SkillHealth {
  consecutiveFailures: number;
  status: "healthy" | "degraded" | "disabled";
  /** The turn in which it was disabled. */
  disabledInTurn: number | null;
}

export type HealthRecord = { readonly [skill: string]: SkillHealth };

export const healthRecordSchema = z.record(
  z.string(),
  z.object({
    consecutiveFailures: z.int().min(0),
    status: z.enum(["healthy", "degraded", "disabled"]),
    disabledInTurn: z.int().nullable(),
  }),
);

const FAILURES_TO_DEGRADE = 3;
const FAILURES_TO_DISABLE = 6;
const TURNS_TO_REST = 5;

/** The record after one more final outcome. A success heals: healthy skills are not kept. */
export function noteOutcome(record: HealthRecord, skill: string, ok: boolean, turnNumber: number): HealthRecord {
  const { [skill]: before, ...others } = record;
  if (ok) return before === undefined ? record : others;
  const consecutiveFailures = (before?.consecutiveFailures ?? 0) + 1;
  const isDisabled = consecutiveFailures >= FAILURES_TO_DISABLE;
  const status = isDisabled ? "disabled" : consecutiveFailures >= FAILURES_TO_DEGRADE ? "degraded" : "healthy";
  return { ...others, [skill]: { consecutiveFailures, status, disabledInTurn: isDisabled ? turnNumber : null } };
}

/**
 * The skills a plan of this turn must do without. After a rest a skill gets another chance, and at once when the player
 * enabled it; `enabled` says in which turn.
 */
export function restingSkills(
  record: HealthRecord,
  turnNumber: number,
  enabled: ReadonlyMap<string, number>,
): string[] {
  return Object.entries(record)
    .filter(([skill, { disabledInTurn }]) => {
      if (disabledInTurn === null || (enabled.get(skill) ?? -1) >= disabledInTurn) return false;
      return turnNumber - disabledInTurn <= TURNS_TO_REST;
    })
    .map(([skill]) => skill);
}
