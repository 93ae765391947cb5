/** The command line of a container: no network, no folders, limits; what was granted opens it. */
import { resolve } from "node:path";
import type { ToolLimits } from "../../runtime/seams/sandbox.ts";
import type { MountedCall } from "../mount-runner.ts";
import type { Container } from "../../story/module-descriptor.ts";

export function containerArguments(
  name: string,
  call: MountedCall,
  { image, command = [], env = {} }: Container,
): string[] {
  const { needs } = call.tool;
  const environment = { ...env, ...call.secrets, NARRATORIA_REQUEST_ID: call.requestId };
  const mayFetch = needs.some((grant) => grant === "net.fetch" || grant.startsWith("net.fetch:"));
  return [
    "run",
    "--rm",
    "-i",
    "--name",
    name,
    // To fetch an image is to use the network too.
    ...(mayFetch ? [] : ["--network", "none", "--pull", "never"]),
    ...limitArguments(call.tool.limits),
    ...needs.flatMap((grant) => folderArguments(grant, call.storyDir)),
    ...Object.keys(environment)
      .toSorted()
      .flatMap((key) => ["--env", `${key}=${environment[key as keyof typeof environment]}`]),
    image,
    ...command,
  ];
}

function limitArguments({ memoryMb, processes }: ToolLimits): string[] {
  return ["--memory", `${memoryMb}m`, "--cpus", "1", "--pids-limit", String(processes)];
}

/** `fs.read:/srv/maps` and `fs.write:...`: that folder, at the same place. */
function folderArguments(grant: string, storyDir: string): string[] {
  const [, kind, scope] = /^fs\.(read|write):(.+)$/.exec(grant) ?? [];
  if (kind === undefined || scope === undefined) return [];
  const folder = resolve(storyDir, scope);
  return ["--mount", `type=bind,source=${folder},target=${folder}${kind === "read" ? ",readonly" : ""}`];
}
