import { sandboxOfLevel } from "./sandbox-of-level.ts";
import { describeToolBehaviour } from "./tool-behaviour.ts";

describeToolBehaviour("in the partial sandbox", await sandboxOfLevel("partial"));
