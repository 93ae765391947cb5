/** Reads a page of the docs as a reader does who follows it: the files it has one write, and the commands it has one run. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../../..");

export interface Snippet {
  /** From the line above, a name in bold: **`tools/greeter.sh`** is a file, **events** only has a name. */
  file: string | null;
  name: string | null;
  language: string;
  text: string;
  /** From the line above: <!-- in the clone -->. */
  remark: string | null;
}

export function readSnippets(page: string): Snippet[] {
  const blocks = readFileSync(join(ROOT, page), "utf8").matchAll(/^(.*)\n```(\w*)\n([\s\S]*?)^```$/gm);
  return Array.from(blocks, ([, above = "", language = "", text = ""]) => {
    const [, named = null] = /^\*\*(`?[\w./-]+`?)\*\*$/.exec(above) ?? [];
    const [, remark = null] = /^<!-- (.+) -->$/.exec(above) ?? [];
    const isFile = named?.startsWith("`") === true;
    const name = named?.replaceAll("`", "") ?? null;
    return { file: isFile ? name : null, name, language, text, remark };
  });
}

/** Those that have a name, files or not. */
export function namedSnippets(page: string): Record<string, string> {
  return Object.fromEntries(readSnippets(page).flatMap(({ name, text }) => (name === null ? [] : [[name, text]])));
}
