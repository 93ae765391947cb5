import { sandboxOfLevel } from "./sandbox-of-level.ts";
import { describeToolBehaviour } from "./tool-behaviour.ts";

describeToolBehaviour("in the full sandbox", await sandboxOfLevel("full"));
