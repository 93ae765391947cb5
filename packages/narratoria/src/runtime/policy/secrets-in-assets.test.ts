import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createAssetFolder } from "../../stores/asset-folder.ts";
import { takeAsset, type AssetSource, type TakenAsset } from "../seams/assets.ts";
import { withoutSecrets } from "./secrets-in-assets.ts";

const folder = mkdtempSync(join(tmpdir(), "narratoria-secrets-"));
afterAll(() => rmSync(folder, { recursive: true }));
const SECRETS = { KEY: "correct horse", LONG: "battery staple, and so on", PIN: "1234", FLAG: "abc" };
const REFUSED = { kind: "refused", reason: "it holds a secret that the tool was granted" };

async function take(...chunks: string[]): Promise<TakenAsset> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const open = { kind: "open", size: chunks.join("").length, bytes: bytes(), close: () => Promise.resolve() } as const;
  const source: AssetSource = { mediaType: null, open: () => Promise.resolve(open) };
  return takeAsset(createAssetFolder(folder), withoutSecrets(source, SECRETS));
}

describe("[K1.6] a secret in an asset", () => {
  test.each([
    ["in one chunk", ["say correct horse to it"]],
    ["across two", ["say correct h", "orse to it"]],
    ["across many", "say correct horse".split("")],
    ["after another chunk's end looked like it", ["correct", " horsecorrect horse"]],
    ["the second of them", ["a battery staple,", " and so on"]],
    ["a short one", ["the door opens at 12", "34"]],
    ["in base64, across two", ["c2F5IGNvcnJl", "Y3QgaG9yc2U="]],
    ["in hexadecimal digits", [Buffer.from("correct horse").toString("hex")]],
    ["in an address", ["?q=correct%20", "horse"]],
    ["in wide characters", [Buffer.from("correct horse", "utf16le").toString("latin1")]],
  ])("%s: refused, and nothing of it is kept", async (_, chunks) => {
    expect(await take(...chunks)).toEqual(REFUSED);
    expect(readdirSync(folder, { recursive: true }).filter((name) => !name.toString().endsWith("incoming"))).toEqual(
      [],
    );
  });

  test("nearly, or a value so short that it turns up by chance: kept whole", async () => {
    const taken = await take("correct ", "hors", " abc");
    expect(taken).toMatchObject({ kind: "stored", bytes: 16 });
    if (taken.kind === "stored") rmSync(join(folder, taken.sha256.slice(0, 2)), { recursive: true });
  });
});
