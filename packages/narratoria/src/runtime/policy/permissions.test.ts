import { expect, test } from "vitest";
import { NOBODY, type Player, type Question } from "../seams/player.ts";
import { createPermissions, type GrantKeeper } from "./permissions.ts";

const REQUEST = {
  skill: "weather",
  toolId: "w1",
  capability: "net.fetch:example.org",
  command: ["./weather"],
  description: "tells the weather",
};

function keeper(kept: { [skill: string]: string[] } = {}): GrantKeeper & { saved: unknown[] } {
  const saved: unknown[] = [];
  return { load: () => kept, save: (grants) => saved.push(structuredClone(grants)), saved };
}

function answering(answer: string | null): Player & { asked: Question[] } {
  const asked: Question[] = [];
  return { asked, ask: (question) => (asked.push(question), Promise.resolve(answer)) };
}

const policy = (grants: { [skill: string]: string[] } = {}) => ({ sandbox: "any" as const, grants });

test("[K1.5] what the policy or an earlier answer grants is not asked", async () => {
  const asker = answering("no");
  for (const [granted, kept] of [
    [{ weather: ["net.fetch"] }, {}],
    [{}, { weather: ["net.fetch:example.org"] }],
  ] as const) {
    const permissions = createPermissions(policy({ ...granted } as never), keeper({ ...kept } as never), true);
    expect(await permissions.decide(REQUEST, asker)).toBe("allow");
  }
  expect(asker.asked).toEqual([]);
});

test.each([
  ["once", "allow", 0],
  ["always", "allow", 1],
  ["no", "deny", 0],
  [null, "deny", 0],
  ["nonsense", "deny", 0],
] as const)("[K1.5] [K1.9] the answer %s means %s and is kept %i times", async (answer, decision, times) => {
  const kept = keeper();
  const permissions = createPermissions(policy(), kept, true);
  expect(await permissions.decide(REQUEST, answering(answer))).toBe(decision);
  expect(kept.saved).toEqual(Array.from({ length: times }, () => ({ weather: ["net.fetch:example.org"] })));
  const asker = answering("no");
  expect(await permissions.decide(REQUEST, asker)).toBe(times === 1 ? "allow" : "deny");
  expect(asker.asked).toHaveLength(times === 1 ? 0 : 1);
});

test("[K1.5] with nobody to ask the answer is no", async () => {
  expect(await createPermissions(policy(), keeper(), false).decide(REQUEST, answering("always"))).toBe("deny");
  expect(await createPermissions(policy(), keeper(), true).decide(REQUEST, NOBODY)).toBe("deny");
});

test("[K1.5] a grant can be taken back; one that the policy gives cannot", async () => {
  const permissions = createPermissions(policy({ lamp: ["fs.temp"] }), keeper(), true);
  permissions.grant("weather", "net.fetch");
  expect(permissions.grants()).toEqual({ lamp: ["fs.temp"], weather: ["net.fetch"] });
  expect(permissions.revoke("weather", "net.fetch")).toBe(true);
  expect(permissions.revoke("lamp", "fs.temp")).toBe(false);
  expect(await permissions.decide(REQUEST, NOBODY)).toBe("deny");
});

test("[P1.6] a program from outside is shown with its whole command line", async () => {
  const asker = answering("no");
  const request = { ...REQUEST, capability: "exec.spawn", command: ["npx", "-y", "some package"] };
  await createPermissions(policy(), keeper(), true).decide(request, asker);
  expect(asker.asked[0]?.question).toContain("npx -y some package");
});

test("[K1.5] a skill may be called like something every object has", async () => {
  const permissions = createPermissions(policy(), keeper(), true);
  expect(await permissions.decide({ ...REQUEST, skill: "constructor" }, answering("no"))).toBe("deny");
  permissions.grant("__proto__", "net.fetch");
  expect(await permissions.decide({ ...REQUEST, skill: "__proto__" }, answering("no"))).toBe("allow");
  expect(await permissions.decide({ ...REQUEST, skill: "toString" }, answering("no"))).toBe("deny");
});
