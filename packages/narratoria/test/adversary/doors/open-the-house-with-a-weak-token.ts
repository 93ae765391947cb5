import type { Door } from "../door.ts";

const WEAK = ["swordfish", "0123456789abcdef0123456789abcdef"];

export default {
  mustNot: "serve other machines with a token that can be guessed",
  once: true,
  attack: async (host) => {
    for (const token of WEAK) {
      const args = ["serve", "--host", "0.0.0.0", "--port", "0", "--data", `${host.place()}/data`, "--token", token];
      const { exitCode, stdout } = await host.command(args);
      if (exitCode !== 2 || stdout !== "") return `${token}: ${exitCode} ${stdout}`;
    }
    return null;
  },
} satisfies Door;
