/**
 * Keeps a granted secret out of what is stored: an asset whose bytes hold its value, in one of the spellings of
 * `spell-secrets.ts`, is refused while it is copied, also where it lies across two chunks. `secrets.ts` does the same for
 * text.
 */
import { Buffer } from "node:buffer";
import { RefusedBytes, type AssetSource } from "../seams/assets.ts";
import type { Secrets } from "./secrets.ts";
import { spellingsOf } from "./spell-secrets.ts";

/** Less turns up in a picture by chance: of this many bytes, in one of four thousand with a megabyte. */
const SHORTEST_VALUE = 4;

export function withoutSecrets(source: AssetSource, secrets: Secrets): AssetSource {
  const values = Object.values(secrets);
  const spelled = spellingsOf(values).map(({ text }) => Buffer.from(text));
  const inWideCharacters = values.map((value) => Buffer.from(value, "utf16le"));
  const wanted = [...spelled, ...inWideCharacters].filter(({ length }) => length >= SHORTEST_VALUE);
  if (wanted.length === 0) return source;

  async function* searched(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const overlap = Math.max(...wanted.map(({ length }) => length)) - 1;
    let before = Buffer.alloc(0);
    for await (const chunk of bytes) {
      const joined = Buffer.concat([before, chunk]);
      if (wanted.some((value) => joined.includes(value))) {
        throw new RefusedBytes("it holds a secret that the tool was granted");
      }
      before = Buffer.from(joined.subarray(Math.max(0, joined.length - overlap)));
      yield chunk;
    }
  }

  async function open(): ReturnType<AssetSource["open"]> {
    const opened = await source.open();
    return opened.kind === "refused" ? opened : { ...opened, bytes: searched(opened.bytes) };
  }
  return { mediaType: source.mediaType, open };
}
