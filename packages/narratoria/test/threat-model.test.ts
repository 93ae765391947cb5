/** docs/threat-model.md names a test for each promise: here it is seen that each of them is there. */
import { expect, test } from "vitest";
import { promisesOf, testsOf } from "./promised-tests.ts";

const promises = promisesOf("threat-model.md");

test("there is a table of promises", () => {
  expect(promises.length).toBeGreaterThan(25);
});

test.for(promises)("$promise: $file has its test", (promised) => {
  expect(testsOf(promised)).not.toEqual([]);
});
