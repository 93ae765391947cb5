import { flood } from "../door.ts";

export default flood(
  "hold up others with 300,000 ui_events",
  `
for n in range(300_000):
  say(type="ui_event", event="shimmer", payload={"n": n})`,
  "TURN_LIMIT",
);
