/** What a level of the sandbox does not protect, in plain words: for whoever decides whether to run a stranger's tools. */
import type { SandboxLevel } from "./execution-result.ts";

export function wordsForLevel(level: SandboxLevel): string {
  switch (level) {
    case "full":
      return "Tools see their story and nothing else of yours.";
    case "container":
      return "Tools see what is in their container, as well as docker or podman keep them in it.";
    case "partial":
      return (
        "Tools can read and change what you can, use the network, signal your programs and leave programs behind; " +
        "only how much they use is limited. (Started by root, they are a user without rights.)"
      );
    case "none":
      return "Tools can do whatever you can: read and change your files, use the network, and leave programs behind.";
  }
}
