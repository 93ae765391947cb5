/** `narratoria add` and `narratoria remove`: optional parts, which are not installed until somebody asks for them. */
import { createInterface } from "node:readline/promises";
import {
  ADD_ONS,
  dataFolder,
  findAddOn,
  installAddOn,
  removeAddOn,
  stateOfAddOn,
  type AddOn,
  type AddOnState,
} from "../data.ts";
import { orComplain } from "./open-or-complain.ts";
import { printDocument } from "./print-json.ts";
import { BAD_USAGE, complain, FAILURE, remark, say } from "./say.ts";
import { onEndingSignal } from "./signals.ts";

export interface AddOptions {
  list?: boolean;
  yes?: boolean;
  json?: boolean;
  data?: string;
}

export async function addCommand(name: string | undefined, options: AddOptions): Promise<number> {
  const dataDir = dataFolder(options.data);
  if (options.list === true || name === undefined) return listAddOns(dataDir, options.json === true);
  const addOn = findAddOn(name);
  if (addOn === null) return complain(`there is no add-on named ${name}; narratoria add --list shows them`, BAD_USAGE);
  if (stateOfAddOn(addOn, dataDir).kind === "ready") {
    say(`${addOn.name} is there already.`);
    return 0;
  }
  remark(...about(addOn), `It is put into ${dataDir}, and narratoria remove ${addOn.name} takes it away again.`);
  if (options.yes !== true && !process.stdin.isTTY) {
    return complain("nobody is here to be asked: --yes adds it without a question", BAD_USAGE);
  }
  if (options.yes !== true && !(await agrees())) return complain("nothing was added");
  const broken = new AbortController();
  const stopListening = onEndingSignal(() => broken.abort());
  const done = await orComplain(() => installAddOn(addOn, dataDir, broken.signal));
  stopListening();
  if (done === null) return FAILURE;
  if (done.kind === "failed") return complain(`nothing was added: ${done.why}`);
  say(`${addOn.name} is there.`);
  return 0;
}

export function removeCommand(name: string, options: { data?: string }): number {
  if (findAddOn(name) === null) return complain(`there is no add-on named ${name}`, BAD_USAGE);
  const wasThere = removeAddOn(name, dataFolder(options.data));
  say(wasThere ? `${name} is gone.` : `${name} was not there.`);
  return 0;
}

/** For `narratoria doctor` too. */
export function addOnStates(dataDir: string): { name: string; state: AddOnState }[] {
  return ADD_ONS.map((addOn) => ({ name: addOn.name, state: stateOfAddOn(addOn, dataDir) }));
}

export function wordsForAddOn(name: string, state: AddOnState): string {
  if (state.kind === "absent") return "not added";
  return state.kind === "ready" ? "there" : `${state.why}; narratoria add ${name} mends it`;
}

async function listAddOns(dataDir: string, asJson: boolean): Promise<number> {
  const all = ADD_ONS.map((addOn) => ({ addOn, state: stateOfAddOn(addOn, dataDir) }));
  if (asJson)
    await printDocument(
      all.map(({ addOn, state }) => ({ ...addOn, state })),
      "indented",
    );
  else say(...all.flatMap(({ addOn, state }) => [...about(addOn), `  ${wordsForAddOn(addOn.name, state)}`]));
  return 0;
}

function about({ name, what, packages, megabytes }: AddOn): string[] {
  const parts = packages.map((each) => `${each.name} ${each.version} (licence ${each.licence})`);
  return [`${name}: ${what}.`, `  ${megabytes} MB from npm: ${parts.join(", ")}`];
}

async function agrees(): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await asking.question("Add it? [y/N] ")).trim());
  } finally {
    asking.close();
  }
}
