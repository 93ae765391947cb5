/** The home of whoever runs this: what HOME says, unless that is empty or no whole path, else what the system has on record. */
import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";

/** Null for who has none: in a container or a service a user may be a number and nothing else. */
export function homeFolder(): string | null {
  return [homedir, () => userInfo().homedir].map(asked).find((folder) => folder !== null) ?? null;
}

function asked(ask: () => string): string | null {
  try {
    const folder = ask();
    return isAbsolute(folder) ? folder : null;
  } catch {
    return null;
  }
}
