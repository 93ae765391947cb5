/** What is wrong with a file that ought to run, and how to mend it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findFault } from "./spawn-error.ts";

const folder = mkdtempSync(join(tmpdir(), "narratoria-spawn-"));
afterAll(() => rmSync(folder, { recursive: true }));

function faultOf(name: string, text: string): string | null {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o755 });
  return findFault(file, "/usr/bin:/bin")?.replace(`${file} `, "") ?? null;
}

test.each([
  ["maps.py", "import json\n", "has no interpreter line: the first line must be #!/usr/bin/env python3"],
  ["maps.mjs", 'console.log("hi")\n', "has no interpreter line: the first line must be #!/usr/bin/env node"],
  ["maps", "echo hi\n", "has no interpreter line: the first line must be #!/bin/sh"],
  ["late", "\n#!/bin/sh\n", "has no interpreter line"],
  ["indented", " #!/bin/sh\n", "has no interpreter line"],
  ["empty", "", "is empty"],
  ["marked", "\uFEFF#!/bin/sh\n", "begins with a byte order mark, before its interpreter line: save it without"],
  ["windows", "#!/bin/sh\r\necho\r\n", "a Windows line end: save it with Unix line ends"],
  ["windows-env", "#!/usr/bin/env python3\r\n", "a Windows line end: save it with Unix line ends"],
  ["nobody", "#!  \necho\n", "names no interpreter in its first line: the first line must be #!/bin/sh"],
  [
    "elsewhere",
    "#!/no/such/place/python3 -u\n",
    "asks for the interpreter /no/such/place/python3, which does not exist",
  ],
  ["höhle", "#!/no/such/höhle\n", "asks for the interpreter /no/such/höhle, which does not exist"],
  ["folder", "#!/etc\n", "asks for the interpreter /etc, which is no program"],
  ["text", "#!/etc/passwd\n", "asks for the interpreter /etc/passwd, which is no program"],
  [
    "unknown",
    "#!/usr/bin/env no-such-language\n",
    "asks for the interpreter no-such-language, which is not on the PATH",
  ],
])("[T5.1] %s, %j: %s", (name, text, fault) => {
  expect(faultOf(name, text)).toContain(fault);
});

test.each([
  ["sh", "#!/bin/sh\n"],
  ["spaces", "#!   /bin/sh   -e  \n"],
  ["env", "#!/usr/bin/env sh\n"],
  ["split", "#!/usr/bin/env -S FOO=1 no-such-language\n"],
  ["unended", "#!/bin/sh"],
  ["binary", "\u007fELF\u0002\u0001\u0001\u0000\u0000"],
])("[T5.1] %s, %j: nothing is wrong with it", (name, text) => {
  expect(faultOf(name, text)).toBeNull();
});
