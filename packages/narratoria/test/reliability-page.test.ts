/** docs/reliability.md names a test for each fault: here it is seen that each of them is there. */
import { expect, test } from "vitest";
import { promisesOf, testsOf } from "./promised-tests.ts";

const faults = promisesOf("reliability.md");

test("[Z1.4] there is a table of faults", () => {
  expect(faults.length).toBeGreaterThan(40);
});

test.for(faults)("[Z1.4] $promise: $file has its test", (promised) => {
  expect(testsOf(promised)).not.toEqual([]);
});
