import { flood } from "../door.ts";

export default flood(
  "make a session unreadable with 100 ui_events of 7 MB",
  `
for n in range(100):
  say(type="ui_event", event="shimmer", payload={"text": "x" * 7_000_000})`,
  "TURN_LIMIT",
);
