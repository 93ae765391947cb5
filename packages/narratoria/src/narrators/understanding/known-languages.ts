/** The languages there are. Of one without a file nothing is known: then every word carries meaning. */
import type { Language } from "./language.ts";
import { GERMAN } from "./languages/de.ts";
import { ENGLISH } from "./languages/en.ts";
import { UNKNOWN } from "./languages/unknown.ts";

const KNOWN: Readonly<Record<string, Language>> = { en: ENGLISH, de: GERMAN };

/** By a BCP 47 tag: of "de-AT" what is known of "de". */
export function languageOf(tag: string): Language {
  const [primary = ""] = tag.toLowerCase().split("-");
  return KNOWN[primary] ?? UNKNOWN;
}
