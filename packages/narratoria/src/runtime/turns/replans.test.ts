import { expect, test } from "vitest";
import { createReplans, type PlanFate, type Replans } from "./replans.ts";

const executed = (replans: Replans, id: string, success: boolean, disabledSkills: string[] = []): void =>
  replans.noteExecuted({ requestId: id }, { success, disabledSkills });

test("[N1.2] stamps what is the runtime's to say over whatever was proposed", () => {
  const replans = createReplans(["tired"], []);
  const proposal = { narrative: "x", requestId: "mine", disabledSkills: [], metadata: { generationAttempt: 9 } };
  expect(replans.stamp(proposal, "id")).toEqual({
    narrative: "x",
    requestId: "id",
    disabledSkills: ["tired"],
    metadata: {
      generationAttempt: 1,
      parentPlanId: null,
    },
  });
  expect(replans.stamp("nonsense", "id")).toMatchObject({ tools: null, requestId: "id" });
});

test("[N1.2] a chain of five, broken by a success; what failed stays disabled for the turn", () => {
  const replans = createReplans([], []);
  executed(replans, "p1", false, ["lamp"]);
  expect(replans.stamp({}, "p2")["metadata"]).toEqual({ generationAttempt: 2, parentPlanId: "p1" });
  executed(replans, "p2", true);
  expect(replans.stamp({}, "p3")).toMatchObject({
    metadata: { generationAttempt: 1, parentPlanId: null },
    disabledSkills: ["lamp"],
  });
  for (const id of ["p3", "p4", "p5", "p6"]) replans.noteRejected({ requestId: id });
  expect(replans.mayPlan()).toBe(true);
  replans.noteRejected({ requestId: "p7" });
  expect(replans.mayPlan()).toBe(false);
});

test("[Z1.4] goes on where an interrupted turn had come to", () => {
  const result = { success: false, disabledSkills: ["lamp"] };
  const failed: PlanFate = { kind: "executed", plan: { requestId: "p1" }, result };
  const rejected: PlanFate = { kind: "rejected", plan: { requestId: "p2" } };
  const replans = createReplans([], [failed, rejected]);
  expect(replans.stamp({}, "p3")).toMatchObject({
    metadata: { generationAttempt: 3, parentPlanId: "p2" },
    disabledSkills: ["lamp"],
  });
});
