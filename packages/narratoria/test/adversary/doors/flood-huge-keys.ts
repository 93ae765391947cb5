import { flood } from "../door.ts";

export default flood(
  "hold up others with keys of half a megabyte",
  `for n in range(40): say(type="state_patch", patch={str(n) + "k" * 500_000: n})`,
  "STATE_TOO_LARGE",
);
