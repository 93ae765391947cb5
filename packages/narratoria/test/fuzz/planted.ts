/** Targets with a fault of a known kind: whether a fuzzer finds anything can only be seen where there is something. */
import { spoiled } from "./mutate-bytes.ts";
import { Find, type FuzzTarget } from "./target.ts";

export const PLANTED: { readonly [name: string]: FuzzTarget } = {
  "planted-fault": planted(() => {
    throw new Find("it holds two braces");
  }),
  "planted-loop": planted(() => {
    for (;;);
  }),
  "planted-death": planted(() => process.kill(process.pid, "SIGKILL")),
};

function planted(fault: () => unknown): FuzzTarget {
  return {
    few: 100,
    open: async () => ({
      inputs: spoiled(['{"a":{"b":[1]}}']),
      try: (input) => {
        if (input.includes("{{")) fault();
        return input.includes("}") ? "a brace" : "none";
      },
      close: async () => {},
    }),
  };
}
