import { expect, test } from "vitest";
import { skillNameOf } from "./skill-name.ts";

test.each([
  ["tools/torch-lighter", "torch-lighter"],
  ["tools/torch-lighter.py", "torch-lighter"],
  ["tools/torch-lighter/main.py", "torch-lighter"],
  ["skills/storyteller/scripts/narrate.dart", "storyteller"],
  ["./tools//dice/./roll", "dice"],
  ["tools/dice/../torch/roll", "torch"],
  ["/srv/tools/castle/tools/dice/roll.sh", "dice"],
  ["tools/skills/run.sh", "skills"],
  ["tools\\dice\\roll.exe", "dice"],
  ["tools/dice/", "dice"],
  ["bin/roll.v2.sh", "roll.v2"],
  ["bin/.hidden", ".hidden"],
  ["bin/linux/arm/roll.sh", "roll"],
  ["tools/./dice/roll", "dice"],
  ["weather", "weather"],
  ["tools", "tools"],
  ["", ""],
])("[P1.3] the skill of %s is %s", (toolPath, skill) => {
  expect(skillNameOf(toolPath)).toBe(skill);
});

test("[P1.3] a mount's name is the skill's name as it stands", () => {
  const mounts = new Set(["weather.com"]);
  expect(skillNameOf("weather.com", mounts)).toBe("weather.com");
  expect(skillNameOf("weather.org", mounts)).toBe("weather");
});
