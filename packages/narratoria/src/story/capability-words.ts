/** What a capability lets a tool do, in words that follow "it may" or "it asks to". */

export function wordsForCapability(capability: string): string {
  const colon = capability.indexOf(":");
  const scope = colon === -1 ? null : capability.slice(colon + 1);
  switch (colon === -1 ? capability : capability.slice(0, colon)) {
    case "fs.read":
      return `read ${scope ?? "any file on this computer"}`;
    case "fs.write":
      return `change ${scope ?? "any file on this computer"}`;
    case "fs.temp":
      return "use temporary files";
    case "net.fetch":
      return scope === null ? "use the network" : `use the network (it names ${scope}, but nothing holds it to that)`;
    case "net.bind":
      return "open a network port";
    case "kv.get":
      return `read kept values${scope === null ? "" : ` of ${scope}`}`;
    case "kv.set":
      return `keep values${scope === null ? "" : ` in ${scope}`}`;
    case "secrets.read":
      return scope === null ? "be told any secret of this computer" : `be told the secret ${scope}`;
    case "exec.spawn":
      return "run a program from outside the story";
    default:
      return `use ${capability}`;
  }
}
