import { flood } from "../door.ts";

export default flood(
  "hold up others with 60,000 keys and 30,000 small patches to them",
  `
for n in range(60):
  say(type="state_patch", patch={"wide": {f"key{n * 1000 + k}": k for k in range(1000)}})
for n in range(30_000):
  say(type="state_patch", patch={"wide": {f"key{n}": -1}})`,
);
