/** The parsers that take a moment to load: `read-yaml.ts` and `namel3ss-settings.ts` load them where there is such text. */
export { parse as parseToml, TomlError } from "smol-toml";
export { parseDocument } from "yaml";
