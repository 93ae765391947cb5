/** Where docker or podman is. A mount that needs one says so at once; `runners/python/container.ts` starts containers. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

export interface ContainerRuntime {
  name: "docker" | "podman";
  file: string;
}

/** Those there are, the preferred one first. */
export function findContainerRuntimes(path: string): ContainerRuntime[] {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  return (["docker", "podman"] as const).flatMap((name) => {
    const file = folders.map((folder) => join(folder, name)).find(isProgram);
    return file === undefined ? [] : [{ name, file }];
  });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
