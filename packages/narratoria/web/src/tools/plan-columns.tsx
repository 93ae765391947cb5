/** The plans of a turn side by side, in the order they were made: a replan stands beside what it replaced. */
import type { ReactNode } from "react";
import type { PlanView, TurnView } from "../../../src/story/session-view.ts";
import { Icon } from "../icon.tsx";
import { Name, showUnseen } from "../name.tsx";
import { PLAN_WORDS } from "./status-words.ts";

export function PlanColumns({ turn, body }: { turn: TurnView; body: (plan: PlanView) => ReactNode }) {
  if (turn.plans.length === 0) return <p className="quiet">No tool was needed in this turn.</p>;
  return (
    <ol className="plans" aria-label="Plans of this turn">
      {turn.plans.map((plan, index) => (
        <li key={plan.planId} className="plan">
          {turn.plans.length > 1 && <PlanHeading plan={plan} index={index} plans={turn.plans} />}
          {plan.problems.length > 0 && <Problems problems={plan.problems} />}
          {plan.toolIds.length > 0 && body(plan)}
          {plan.toolIds.length === 0 && plan.problems.length === 0 && <p className="quiet">It needed no tool.</p>}
        </li>
      ))}
    </ol>
  );
}

function PlanHeading({ plan, index, plans }: { plan: PlanView; index: number; plans: PlanView[] }) {
  const replaced = plans.findIndex(({ planId }) => planId === plan.parentPlanId);
  return (
    <header className={`plan-heading ${plan.status}`}>
      <h2>
        <Icon name={plan.status === "completed" ? "check_circle" : plan.status === "running" ? "sync" : "error"} />
        Plan {index + 1}: {PLAN_WORDS[plan.status]}
      </h2>
      {replaced !== -1 && (
        <p>
          Made because plan {replaced + 1} {plans[replaced]?.status === "rejected" ? "was not valid" : "failed"}
          {plan.disabledSkills.length > 0 && (
            <>
              , without <SkillNames names={plan.disabledSkills} />
            </>
          )}
          .
        </p>
      )}
    </header>
  );
}

function SkillNames({ names }: { names: string[] }) {
  return names.map((name, index) => (
    <b key={name}>
      {index > 0 && ", "}
      <Name text={name} />
    </b>
  ));
}

function Problems({ problems }: { problems: PlanView["problems"] }) {
  return (
    <ul className="plan-problems" aria-label="What was wrong with the plan">
      {problems.slice(0, 20).map(({ pointer, code, message }) => (
        <li key={`${pointer} ${code}`}>
          <code>{showUnseen(pointer || "/")}</code> <bdi>{showUnseen(message)}</bdi>
        </li>
      ))}
      {problems.length > 20 && <li>and {problems.length - 20} more</li>}
    </ul>
  );
}
