/**
 * The rig: a real tool on a string. The test decides when it prints, exits or hangs; the tool (`fixtures/rig-tool.mjs`)
 * connects back through a socket in the story folder, which also a confined tool can see.
 */
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const RIG_TOOL = fileURLToPath(new URL("./fixtures/rig-tool.mjs", import.meta.url));

export interface Rig extends AsyncDisposable {
  /** What to run so that the tool comes back here. */
  call(): { command: string[]; storyDir: string; readFolders: string[] };
  nextInvocation(): Promise<Invocation>;
}

export interface Invocation {
  print(text: string): void;
  printToStderr(text: string): void;
  exit(code: number): void;
  /** Waits until a print does not go through because nobody reads. False when everything went through. */
  reportWhenBlocked(): Promise<boolean>;
}

export async function createRig(): Promise<Rig> {
  const storyDir = await mkdtemp(join(tmpdir(), "narratoria-rig-"));
  const address = join(storyDir, "rig.sock");
  const invocations: Socket[] = [];
  let arrival = (): void => {};
  const server = createServer((socket) => {
    invocations.push(socket);
    arrival();
  });
  await once(server.listen(address), "listening");
  await Promise.all([chmod(storyDir, 0o755), chmod(address, 0o777)]);

  async function nextInvocation(): Promise<Invocation> {
    while (invocations.length === 0) await new Promise<void>((arrived) => (arrival = arrived));
    return control(invocations.shift() as Socket);
  }
  return {
    call: () => ({ command: [process.execPath, RIG_TOOL, address], storyDir, readFolders: [dirname(RIG_TOOL)] }),
    nextInvocation,
    [Symbol.asyncDispose]: () => dispose(server, storyDir),
  };
}

function control(socket: Socket): Invocation {
  const send = (command: object): void => void socket.write(`${JSON.stringify(command)}\n`);
  socket.on("error", () => {});
  const reports = createInterface(socket);
  return {
    print: (text) => send({ print: text }),
    printToStderr: (text) => send({ printToStderr: text }),
    exit: (code) => send({ exit: code }),
    reportWhenBlocked: async () => {
      const reported = once(reports, "line");
      send({ reportWhenBlocked: true });
      return (await reported)[0] === "blocked";
    },
  };
}

async function dispose(server: Server, storyDir: string): Promise<void> {
  server.close();
  await rm(storyDir, { recursive: true, force: true });
}
