import { expect, test } from "vitest";
import { CAPABILITIES, isCapability, splitCapability } from "./capabilities.ts";

test("[K1.5] what can be asked for is a closed list", () => {
  expect(CAPABILITIES.join(" ")).toBe(
    "fs.read fs.write fs.temp net.fetch net.bind kv.get kv.set secrets.read exec.spawn",
  );
});

test.each<[capability: string, name: string, scope: string]>([
  ["fs.temp", "fs.temp", ""],
  ["fs.read:", "fs.read", ""],
  ["net.fetch:example.org", "net.fetch", "example.org"],
  ["exec.spawn:registry:5000/bell", "exec.spawn", "registry:5000/bell"],
  ["a:b", "a", "b"],
])("[K1.5] %s is %s with the scope %j: it begins after the first colon", (capability, name, scope) => {
  expect(splitCapability(capability)).toEqual([name, scope]);
});

test.each<[text: string, isOne: boolean]>([
  ["fs.read", true],
  ["fs.read:/srv/maps", true],
  // An empty scope would look like a limit, and be none.
  ["fs.read:", false],
  ["fs.fly", false],
  ["fs.fly:/srv", false],
  ["narrates", false],
  ["", false],
])("[K1.5] %j is a capability: %s", (text, isOne) => {
  expect(isCapability(text)).toBe(isOne);
});
