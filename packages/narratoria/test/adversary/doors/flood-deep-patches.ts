import { flood } from "../door.ts";

export default flood(
  "hold up others with patches that go two hundred levels deep",
  `
for n in range(300):
  patch = {"leaf": n}
  for level in range(200): patch = {f"l{level}": patch}
  say(type="state_patch", patch=patch)`,
);
