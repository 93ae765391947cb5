import { createUnconfined } from "../src/sandbox/unconfined.ts";
import { describeToolBehaviour } from "./tool-behaviour.ts";

describeToolBehaviour("without a sandbox", createUnconfined());
