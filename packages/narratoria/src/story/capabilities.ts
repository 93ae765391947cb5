/** What a tool may ask for. `runtime/policy/` decides who gets it; the sandbox turns grants into holes in its walls. */

export const CAPABILITIES = [
  "fs.read",
  "fs.write",
  "fs.temp",
  "net.fetch",
  "net.bind",
  "kv.get",
  "kv.set",
  "secrets.read",
  "exec.spawn",
] as const;

/** Other strings in a descriptor only describe. */
export function isCapability(text: string): boolean {
  const [name] = splitCapability(text);
  return (CAPABILITIES as readonly string[]).includes(name) && text !== `${name}:`;
}

/** `net.fetch:example.org` is a capability and its scope; without a scope that is empty. */
export function splitCapability(capability: string): [name: string, scope: string] {
  const colon = capability.indexOf(":");
  return colon === -1 ? [capability, ""] : [capability.slice(0, colon), capability.slice(colon + 1)];
}
