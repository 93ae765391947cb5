/** A story for tests: tools that make every kind of asset, good and bad, a large state, odd names and 1,000 choices. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeStory, type MadeStory, shellTool } from "../made-story.ts";

export const LEAVES = 100_000;
/** Turns what follows around; without width; a name made of nothing. */
export const ODD_NAME = "safe\u202Egnp\u200B";

export function makeGalleryStory(): MadeStory {
  const assets = [
    {
      assetId: "square",
      kind: "image",
      mediaType: "image/png",
      path: "art/square.png",
      metadata: { alt: "A red square" },
    },
    { assetId: "broken", kind: "image", mediaType: "image/png", path: "art/broken.png" },
    { assetId: "huge", kind: "image", mediaType: "image/png", path: "art/huge.png" },
    { assetId: "beep", kind: "audio", mediaType: "audio/wav", path: "art/beep.wav" },
    { assetId: "noise", kind: "audio", mediaType: "audio/mpeg", path: "art/noise.mp3" },
    { assetId: "film", kind: "video", mediaType: "video/mp4", path: "art/film.mp4" },
    { assetId: ODD_NAME, kind: "map", mediaType: "application/x-map", path: "art/map", metadata: { scale: "1:10" } },
    { assetId: "lost", kind: "image", mediaType: "image/png", path: "art/nowhere.png" },
  ];
  const light = { type: "state_patch", patch: { torch: { lit: true }, [ODD_NAME]: "<img src=x onerror=alert(1)>" } };
  const oil = { type: "state_patch", patch: { oil: 2 } };
  const big = { type: "state_patch", patch: { big: bigState() } };
  const plan = (name: string): object => ({
    tools: [{ toolId: name, toolPath: name, retryPolicy: { maxRetries: 0 } }],
  });
  const choices = ["paint", "light", "burn", "grow", "crowd"];
  const story = makeStory({
    ...shellTool("paint", [], "cat said/paint.ndjson"),
    ...shellTool("light", [], "cat said/light.ndjson"),
    ...shellTool("burn", [], "cat said/burn.ndjson"),
    ...shellTool("grow", [], "cat said/grow.ndjson"),
    "said/paint.ndjson": lines(assets.map((asset) => ({ type: "asset", ...asset }))),
    "said/light.ndjson": lines([light]),
    "said/burn.ndjson": lines([oil]),
    "said/grow.ndjson": lines([big]),
    "plans.json": [
      { opening: true, narrative: "An empty gallery.", choices },
      { match: "paint", plan: plan("paint"), narrative: "You *paint*.", choices },
      { match: "light", plan: plan("light"), narrative: "You light the torch.", choices },
      { match: "burn", plan: plan("burn"), narrative: "The oil burns down.", choices },
      { match: "grow", plan: plan("grow"), narrative: "The ledger grows.", choices },
      { match: "crowd", narrative: "A crowd.", choices: Array.from({ length: 1_000 }, (_, index) => `Greet ${index}`) },
    ],
    "story.json": { title: "The Gallery", narrator: "stub", state: { torch: { lit: false }, oil: 3 } },
  });
  mkdirSync(join(story.path, "art"));
  const files = { "square.png": SQUARE, "huge.png": pngOf(20_000, 20_000), "beep.wav": beep(), map: Buffer.from("x") };
  const rest = Buffer.alloc(2_000, "neither a sound nor a film");
  const broken = {
    "broken.png": pngOf(40, 30),
    "noise.mp3": Buffer.concat([Buffer.from("ID3\u0004\0\0\0\0\0\0", "latin1"), rest]),
    "film.mp4": Buffer.concat([Buffer.from("\0\0\0\u0018ftypmp42\0\0\0\0mp42isom", "latin1"), rest]),
  };
  for (const [name, bytes] of Object.entries({ ...files, ...broken })) {
    writeFileSync(join(story.path, "art", name), bytes, { mode: 0o644 });
  }
  return story;
}

/** All in one place: the most lines that opening one thing can bring. Short names: a patch has an upper limit. */
function bigState(): object {
  return Object.fromEntries(Array.from({ length: LEAVES }, (_, leaf) => [`${leaf.toString(36)}.`, leaf % 10]));
}

function lines(events: object[]): string {
  return events.map((event) => `${JSON.stringify({ version: "0", ...event })}\n`).join("");
}

const SQUARE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

/** A header that says how large the picture is, and no picture. */
function pngOf(width: number, height: number): Buffer {
  const header = Buffer.alloc(33);
  header.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  header.writeUInt32BE(13, 8);
  header.write("IHDR", 12, "latin1");
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  header.set([8, 6, 0, 0, 0], 24);
  return header;
}

/** A tenth of a second of silence. */
function beep(): Buffer {
  const [rate, samples] = [8_000, 800];
  const wave = Buffer.alloc(44 + samples, 0x80);
  wave.write("RIFF", 0, "latin1");
  wave.writeUInt32LE(36 + samples, 4);
  wave.write("WAVEfmt ", 8, "latin1");
  wave.writeUInt32LE(16, 16);
  wave.writeUInt16LE(1, 20);
  wave.writeUInt16LE(1, 22);
  wave.writeUInt32LE(rate, 24);
  wave.writeUInt32LE(rate, 28);
  wave.writeUInt16LE(1, 32);
  wave.writeUInt16LE(8, 34);
  wave.write("data", 36, "latin1");
  wave.writeUInt32LE(samples, 40);
  return wave;
}
