#!/usr/bin/env node
/** Looks at the mysterious door, finds its inscription and asks the player what to do. */
import { defineTool, ToolError } from "@narratoria/tool";

defineTool<{ target?: string }>(
  { name: "door-examiner", description: "examines the mysterious door" },
  ({ target = "mysterious_door" }, emit) => {
    if (target !== "mysterious_door") throw new ToolError("UNKNOWN_TARGET", `There is no ${target} to examine here.`);
    emit.info("Examining door...");
    emit.patch({ discovered: { door_inscription: "Ancient runes" } });
    emit.choices(["Open", "Leave"]);
    return "Door examined.";
  },
);
