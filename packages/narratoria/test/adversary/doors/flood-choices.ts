import { flood } from "../door.ts";

export default flood(
  "hold up others with 300,000 choices",
  `
for n in range(300_000):
  say(type="ui_event", event="narrative_choice", payload={"choices": [f"way {n}"]})`,
  "TURN_LIMIT",
);
