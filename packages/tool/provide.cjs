/**
 * Lets a program find this package wherever it lies, when nothing nearer is called so: `node --require .../provide.cjs`.
 * Narratoria starts tools with it. In JavaScript that any Node reads, for a tool may bring its own: an older one goes on
 * without.
 */
const { createRequire, registerHooks } = require("module");
const { pathToFileURL } = require("url");

const NAME = "@narratoria/tool";

if (registerHooks !== undefined) registerHooks({ resolve });

function resolve(specifier, context, next) {
  if (specifier !== NAME && !specifier.startsWith(`${NAME}/`)) return next(specifier, context);
  try {
    return next(specifier, context);
  } catch (missing) {
    const found = findHere(specifier);
    if (found === null) throw missing;
    return { url: found, shortCircuit: true };
  }
}

/** A package finds itself by its name. */
function findHere(specifier) {
  try {
    return pathToFileURL(createRequire(__filename).resolve(specifier)).href;
  } catch {
    return null;
  }
}
