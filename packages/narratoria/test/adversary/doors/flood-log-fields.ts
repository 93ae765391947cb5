import { flood } from "../door.ts";

export default flood(
  "hold up others with log lines whose fields are large",
  `for n in range(1000): say(type="log", level="info", message="m", fields={f"k{i}": "v" * 50 for i in range(200)})`,
);
