/** The environment a tool sees: an allowlist of the host's, so that keys and tokens of the host never leak. */
import { delimiter, dirname } from "node:path";

const ALLOWED = ["PATH", "HOME", "LANG", "TMPDIR", "TZ"];

/** The PATH inside the full sandbox, where only the system's folders and our own Node are to be found. */
export const SANDBOX_PATH = [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":");

export function toolEnvironment(host: NodeJS.ProcessEnv): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && (ALLOWED.includes(name) || name.startsWith("LC_"))) env[name] = value;
  }
  // `#!/usr/bin/env node` means the Node that runs Narratoria: an older one on the PATH cannot run TypeScript.
  env["PATH"] = [dirname(process.execPath), env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"].join(delimiter);
  return env;
}
