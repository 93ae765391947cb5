/** What a capability lets a tool do, in words that follow "it may" or "it asks to". Scopes are a stranger's words. */
import { shownName, shownPath } from "./shown-name.ts";

export function wordsForCapability(capability: string): string {
  const colon = capability.indexOf(":");
  const scope = colon === -1 ? null : capability.slice(colon + 1);
  switch (colon === -1 ? capability : capability.slice(0, colon)) {
    case "fs.read":
      return `read ${scope === null ? "any file on this computer" : shownPath(scope)}`;
    case "fs.write":
      return `change ${scope === null ? "any file on this computer" : shownPath(scope)}`;
    case "fs.temp":
      return "use temporary files";
    case "net.fetch":
      return scope === null
        ? "use the network"
        : `use the network (it names ${shownName(scope)}, but nothing holds it to that)`;
    case "net.bind":
      return "open a network port";
    case "kv.get":
      return `read kept values${scope === null ? "" : ` of ${shownName(scope)}`}`;
    case "kv.set":
      return `keep values${scope === null ? "" : ` in ${shownName(scope)}`}`;
    case "secrets.read":
      return scope === null ? "be told any secret of this computer" : `be told the secret ${shownName(scope)}`;
    case "exec.spawn":
      return scope === null ? "run a program from outside the story" : `run a container of ${shownName(scope, 120)}`;
    default:
      return `use ${shownName(capability)}`;
  }
}
