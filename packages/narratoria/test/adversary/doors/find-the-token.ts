import { readdirSync, readFileSync } from "node:fs";
import type { Door } from "../door.ts";

export default {
  mustNot: "find the token in the list of processes, their environments, or what the host says",
  attack: async (host) => {
    const session = await host.begin();
    await fetch(`${host.url}/?token=${host.token}`, { redirect: "manual" });
    await fetch(`${host.url}/api/sessions/${session}?token=${host.token}`);
    const places = readdirSync("/proc")
      .filter((pid) => /^\d+$/.test(pid))
      .flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`]);
    const found = places.find((place) => textOf(place).includes(host.token));
    return found ?? (host.stderr().includes(host.token) ? "the host says it" : null);
  },
} satisfies Door;

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
