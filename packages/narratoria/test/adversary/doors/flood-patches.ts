import { flood } from "../door.ts";

export default flood(
  "hold up others with 300,000 patches",
  `
for n in range(300_000):
  say(type="state_patch", patch={"count": n})`,
  "TURN_LIMIT",
);
