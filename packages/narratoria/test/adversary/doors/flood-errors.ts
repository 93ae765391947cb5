import { flood } from "../door.ts";

export default flood(
  "hold up others with ten thousand errors, each with details",
  `for n in range(10_000): say(type="error", errorCode="E" * 50, errorMessage="m" * 100, details={"n": [n] * 5})`,
);
