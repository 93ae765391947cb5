/** A granted folder that is swapped for a link, or that hides what no tool may see, gives nothing away. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProcessRunner } from "../src/runners/process.ts";
import { createBubblewrap } from "../src/sandbox/bubblewrap.ts";
import { findPlace } from "../src/runtime/mounts/find-place.ts";
import { outcomeOf, runFixture } from "./run-fixture.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "narratoria-places-"));
  for (const name of ["", "granted", "granted/inner", "secret"]) {
    mkdirSync(join(folder, name), { recursive: true });
    chmodSync(join(folder, name), 0o777);
  }
  writeFileSync(join(folder, "secret", "key"), "a key");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const DONE = `echo '{"version":"0","type":"done","ok":true}'`;

describe("[Z1.5] a grant", () => {
  test.each([
    ["is swapped", "inner", "is another one since"],
    ["was not there, and is a link now,", "new", "there is nothing"],
  ])("whose folder %s between the look and the mount starts nothing", async (_, name, why) => {
    const swapping = join(folder, "bubblewrap-after-a-swap");
    // When bubblewrap has been told what to mount, everything has been looked at.
    const script = `#!/bin/sh
      cat <&6 > ${folder}/told
      cd ${folder}/granted && if [ -e ${name} ]; then mv ${name} old; fi && ln -s ${folder}/secret ${name}
      exec /usr/bin/bwrap "$@" 6< ${folder}/told`;
    writeFileSync(swapping, script, { mode: 0o755 });
    const sandbox = createBubblewrap({ program: swapping, hidden: [] });
    const inner = join(folder, "granted", name);
    const { report } = await runFixture(createProcessRunner({ sandbox }), "reads", {
      command: ["/bin/sh", "-c", `cat ${inner}/key >&2; ${DONE}`],
      grants: [`fs.read:${inner}`],
    });
    await sandbox.close();
    expect(outcomeOf(report)).toBe("failed process_error SPAWN_FAILED");
    expect(report.outcome).toMatchObject({ error: { message: expect.stringContaining(why) } });
    expect(report.stderrTail).toBe("");
  });

  test("through a link of the system's own is followed, to a socket is refused, of what is not there yet is kept", () => {
    expect(findPlace("/proc/self/cwd")).toMatchObject({ kind: process.getuid?.() === 0 ? "place" : "refused" });
    expect(findPlace("/bin/sh")).toMatchObject({ kind: "place", path: realpathSync("/bin/sh") });
    expect(findPlace(join(folder, "not", "there"))).toMatchObject({ kind: "place", identity: null });
  });
});

describe("[Z1.3] [T4.3] what is hidden in a story", () => {
  test("hides nothing else, and a story that lies in what is hidden has its assets", async () => {
    writeFileSync(join(folder, "granted", "picture"), "a picture");
    const taken = async (storyDir: string, hidden: string, asset: string): Promise<string> => {
      const sandbox = createBubblewrap({ program: "/usr/bin/bwrap", hidden: [hidden] });
      const declared = { version: "0", type: "asset", assetId: "it", kind: "x", mediaType: "text/plain", path: asset };
      const results: string[] = [];
      await runFixture(createProcessRunner({ sandbox }), "declares", {
        command: ["/bin/sh", "-c", `echo '${JSON.stringify(declared)}'; ${DONE}`],
        storyDir,
        sink: async ({ asset: source }) => {
          const opened = await source?.open();
          if (opened?.kind === "open") await opened.close();
          if (opened !== undefined) results.push(opened.kind);
          return undefined;
        },
      });
      await sandbox.close();
      return results.join();
    };
    expect(await taken(folder, join(folder, "secret"), "granted/picture")).toBe("open");
    expect(await taken(join(folder, "granted"), folder, "picture")).toBe("open");
  });
});
