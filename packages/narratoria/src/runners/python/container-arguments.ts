/**
 * The command line of a container: no network, no folders, no rights, limits; what was granted opens it. What cannot be said
 * on such a line without meaning something else is refused.
 */
import { resolve } from "node:path";
import { findPlace } from "../../runtime/mounts/find-place.ts";
import { isInside, realLocation } from "../../runtime/mounts/real-location.ts";
import type { ContainerRuntime } from "../../runtime/mounts/container-runtime.ts";
import type { ToolLimits } from "../../runtime/seams/sandbox.ts";
import type { MountedCall } from "../mount-runner.ts";
import { hostLabel } from "./leftover-containers.ts";
import type { Container } from "../../story/module-descriptor.ts";

export type ContainerCommand =
  /** `secrets` go into the environment of the client, which hands them on: a command line is there for everybody to read. */
  { kind: "command"; args: string[]; secrets: Readonly<Record<string, string>> } | { kind: "refused"; reason: string };

/** Whoever that is, it owns nothing. */
const NOBODY = "65534:65534";

export function containerCommand(
  runtime: ContainerRuntime["name"],
  name: string,
  call: MountedCall,
  { image, command = [], env = {} }: Container,
): ContainerCommand {
  const { needs, limits } = call.mount.tool;
  const folders = grantedFolders(needs, call.mount.storyDir);
  const reason = folders.map(findObstacle).find((found) => found !== null) ?? findBadName(call.mount.secrets);
  if (reason !== null) return { kind: "refused", reason };
  const plain: Record<string, string> = { HOME: "/tmp", ...env, NARRATORIA_REQUEST_ID: call.requestId };
  const mayFetch = needs.some((grant) => grant === "net.fetch" || grant.startsWith("net.fetch:"));
  const args = [
    "run",
    "--rm",
    "-i",
    "--name",
    name,
    ...hostLabel(),
    // What runs was granted by its name: nobody may put something else in its place.
    "--pull=never",
    ...(mayFetch ? [] : ["--network", "none"]),
    ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only"],
    // podman would add writable folders of its own, without a limit.
    ...(runtime === "podman" ? ["--read-only-tmpfs=false"] : []),
    ...userArguments(runtime, folders.length > 0),
    ...limitArguments(limits),
    ...folders.flatMap(mountArguments),
    ...Object.keys({ ...plain, ...call.mount.secrets })
      .toSorted()
      .flatMap((key) => ["--env", Object.hasOwn(call.mount.secrets, key) ? key : `${key}=${plain[key]}`]),
    image,
    ...command,
  ];
  return { kind: "command", args, secrets: call.mount.secrets };
}

/**
 * A user of its own; but who was granted a folder must be able to read it, and is the player there. Never root, whoever
 * started us.
 */
function userArguments(runtime: ContainerRuntime["name"], hasFolders: boolean): string[] {
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
  if (!hasFolders || uid === 0) return ["--user", NOBODY];
  // Without root, podman counts users differently inside unless told to keep ours.
  return [...(runtime === "podman" ? ["--userns", "keep-id"] : []), "--user", `${uid}:${gid}`];
}

function limitArguments({ memoryMb, processes, diskMb }: ToolLimits): string[] {
  const temporary = `/tmp:rw,exec,nosuid,nodev,mode=1777,size=${Math.min(diskMb, memoryMb)}m`;
  const counted = ["--memory", `${memoryMb}m`, "--cpus", "1", "--pids-limit", String(processes)];
  return [...counted, "--tmpfs", temporary];
}

interface GrantedFolder {
  /** As it was asked for. */
  place: string;
  /** Where that really leads. */
  source: string;
  mayWrite: boolean;
  leadsOut: boolean;
}

/** `fs.read:/srv/maps` and `fs.write:...`: that folder, at the same place. */
function grantedFolders(grants: readonly string[], storyDir: string): GrantedFolder[] {
  const found = grants.flatMap((grant): GrantedFolder[] => {
    const [, kind, scope] = /^fs\.(read|write):(.+)$/s.exec(grant) ?? [];
    if (kind === undefined || scope === undefined) return [];
    const place = resolve(storyDir, scope);
    const source = realLocation(place);
    // What lies in the story by name must lie there: the story could have put a link in its place.
    const leadsOut = isInside(place, storyDir) && !isInside(source, realLocation(storyDir));
    return [{ place, source, mayWrite: kind === "write", leadsOut }];
  });
  // What lies below a folder it may write is visible already, and could be a link that an earlier call put there.
  return found.filter(
    (one) => !found.some((other) => other !== one && other.mayWrite && isInside(one.place, other.place)),
  );
}

function mountArguments({ place, source, mayWrite }: GrantedFolder): string[] {
  return ["--mount", `type=bind,source=${source},target=${place}${mayWrite ? "" : ",readonly"}`];
}

function findObstacle({ place, source, leadsOut }: GrantedFolder): string | null {
  if (leadsOut) return `${place} leads out of the story, so no container gets it`;
  const found = findPlace(place);
  if (found.kind === "refused") return found.reason;
  // A comma begins the next setting, and not every version knows how to quote one.
  const path = [place, source].find((one) => /[,"\r\n]/.test(one));
  return path === undefined
    ? null
    : `a container cannot be given ${JSON.stringify(path)}: no comma, quote or line break may be in the path`;
}

/** podman takes a name that ends in * for all variables that begin so. */
function findBadName(secrets: Readonly<Record<string, string>>): string | null {
  const name = Object.keys(secrets).find((one) => !/^[A-Za-z_]\w*$/.test(one));
  return name === undefined ? null : `a container cannot be given the secret ${JSON.stringify(name)}: no such name`;
}
