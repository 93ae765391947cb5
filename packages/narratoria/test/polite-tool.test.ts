/** A polite tool in three languages works unchanged at every level of the sandbox, and says the same. */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createProcessRunner } from "../src/runners/process.ts";
import { createAssetFolder } from "../src/stores/asset-folder.ts";
import { outcomeOf, runFixture } from "./run-fixture.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

const STORY = fileURLToPath(new URL("./fixtures/polite", import.meta.url));
const hill = readFileSync(join(STORY, "art/hill.txt"));

describe.each(["full", "partial", "none"])("[Z1.3] at the level %s", (level) => {
  test.each(["polite.ts", "polite.py", "polite.sh"])("%s", async (file) => {
    const sandbox = await sandboxOfLevel(level);
    const folder = mkdtempSync(join(tmpdir(), "narratoria-polite-"));
    const store = createAssetFolder(folder);
    const stored: object[] = [];
    const { report, events } = await runFixture(createProcessRunner({ sandbox }), "polite", {
      command: [join(STORY, "tools", file)],
      storyDir: STORY,
      input: { name: "Ada" },
      sink: async ({ asset }) => {
        if (asset !== undefined) stored.push(await store.take(asset));
        return undefined;
      },
    });
    await sandbox.close();
    rmSync(folder, { recursive: true });

    expect(outcomeOf(report), report.stderrTail).toBe("completed");
    expect(report).toMatchObject({ stderrTail: "", warnings: [], sandbox: level });
    expect(stored).toEqual([
      { kind: "stored", sha256: createHash("sha256").update(hill).digest("hex"), bytes: hill.length },
    ]);
    expect(events).toEqual([
      { version: "0", type: "log", level: "info", message: "Looking around", fields: { progress: 0.5 } },
      {
        version: "0",
        type: "asset",
        assetId: "map",
        kind: "text",
        mediaType: "text/plain",
        path: expect.stringMatching(/map.txt$/),
      },
      { version: "0", type: "state_patch", patch: { seen: { by: "Ada", words: 7 } } },
      { version: "0", type: "ui_event", event: "narrative_choice", payload: { choices: ["go up", "go home"] } },
      { version: "0", type: "done", ok: true, summary: "Looked around." },
    ]);
  });
});
