/** A tool's own `node_modules` may be a link, or hold links: what a tool finds behind them, and what no link can show it. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { linkedModules } from "../src/runtime/mounts/linked-modules.ts";
import { createToolContents } from "../src/runtime/policy/tool-content.ts";
import { bareTool } from "../src/runtime/mounts/resolve-tool.ts";
import type { ExecutionResult } from "../src/story/execution-result.ts";
import { LEVELS } from "./command-of-level.ts";
import { makeStory, type MadeStory } from "./made-story.ts";

const FULL = LEVELS[0] as (typeof LEVELS)[number];
const IMPORTS_PING = `#!/usr/bin/env node\nimport { ping } from "ping";\nconsole.log(JSON.stringify({ version: "0", type: "done", ok: true, summary: ping }));\n`;

/** As each package manager leaves it: what lies around the story, and the links in the tool's own folder. */
const WAYS: Record<string, (make: Maker) => void> = {
  "node_modules is a link": ({ packageAt, link }) => {
    packageAt("outside/node_modules/ping", "ping");
    link("node_modules", "outside/node_modules");
  },
  "node_modules is a link to a link": ({ packageAt, link, linkAt }) => {
    packageAt("far/node_modules/ping", "ping");
    linkAt("between", "far");
    link("node_modules", "between/node_modules");
  },
  "npm workspaces": ({ packageAt, link, linkAt }) => {
    packageAt("workspace/packages/ping", "ping");
    linkAt("workspace/node_modules/ping", "workspace/packages/ping");
    link("node_modules", "workspace/node_modules");
  },
  "npm link": ({ packageAt, link, linkAt }) => {
    packageAt("developed/ping", "ping");
    linkAt("global/lib/node_modules/ping", "developed/ping");
    link("node_modules/ping", "global/lib/node_modules/ping");
  },
  "a linked package with packages of its own": ({ packageAt, link }) => {
    packageAt("with-own/ping", "ping", `import { pong } from "@its/pong";\nexport const ping = pong;`);
    packageAt("with-own/ping/node_modules/@its/pong", "@its/pong", `export const pong = "pong";`);
    link("node_modules/ping", "with-own/ping");
  },
  pnpm: ({ packageAt, link, linkAt }) => {
    const store = "pnpm/node_modules/.pnpm";
    packageAt(`${store}/ping@1/node_modules/ping`, "ping", `import { pong } from "pong";\nexport const ping = pong;`);
    packageAt(`${store}/pong@1/node_modules/pong`, "pong", `export const pong = "pong";`);
    linkAt(`${store}/ping@1/node_modules/pong`, `${store}/pong@1/node_modules/pong`);
    link("node_modules/ping", `${store}/ping@1/node_modules/ping`);
  },
};

interface Maker {
  packageAt(place: string, name: string, code?: string): void;
  /** From the tool's folder. */
  link(name: string, target: string): void;
  linkAt(place: string, target: string): void;
}

function makerFor(story: MadeStory, tool: string): Maker {
  const outside = dirname(story.path);
  const linkAt = (place: string, target: string): void => {
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(outside, target), place);
  };
  return {
    packageAt: (place, name, code = `export const ping = "ping";`) => {
      mkdirSync(join(outside, place), { recursive: true });
      writeFileSync(join(outside, place, "package.json"), JSON.stringify({ name, type: "module", exports: "./it.js" }));
      writeFileSync(join(outside, place, "it.js"), code);
    },
    link: (name, target) => linkAt(join(story.path, "tools", tool, name), target),
    linkAt: (place, target) => linkAt(join(outside, place), target),
  };
}

describe.each(LEVELS)("[T1.2] at the level %s a tool imports from its own node_modules", (level) => {
  let story: MadeStory;
  let result: ExecutionResult;
  const pathOf = (way: string): string => `./tools/${way.replaceAll(" ", "-")}/tool.mjs`;
  beforeAll(async () => {
    story = makeStory();
    for (const [way, make] of Object.entries(WAYS)) {
      story.write(pathOf(way), IMPORTS_PING);
      make(makerFor(story, dirname(pathOf(way)).split("/").at(-1) ?? ""));
    }
    result = await level.run(story, Object.keys(WAYS).map(pathOf));
  }, 60_000);
  afterAll(() => story[Symbol.dispose]());

  test.each(Object.keys(WAYS))("%s", (way) => {
    const tool = result.toolResults.find(({ toolId }) => toolId === pathOf(way));
    expect(tool?.state, tool?.attempts[0]?.stderrTail).toBe("completed");
    const done = tool?.events.at(-1) as { summary?: string } | undefined;
    expect(done?.summary).toMatch(/^p[io]ng$/);
  });
});

describe("[Z1.3] no link in a story shows a tool", () => {
  /** What lies on the host, the link a stranger's story has, and what its tool then tries to read. */
  const ATTEMPTS: Record<string, (make: Maker & { file(place: string): void }) => string> = {
    "a folder that is not called node_modules": ({ file, link }) => {
      file("letters/letter");
      link("node_modules", "letters");
      return "letters/letter";
    },
    "a home that is called node_modules": ({ file, link }) => {
      file("home/node_modules/letter");
      link("node_modules", "home/node_modules");
      return "home/node_modules/letter";
    },
    "a node_modules among keys": ({ file, link }) => {
      file("home/node_modules/.ssh/node_modules/key");
      link("node_modules", "home/node_modules/.ssh/node_modules");
      return "home/node_modules/.ssh/node_modules/key";
    },
    "a node_modules that holds a key": ({ file, link }) => {
      file("keys/node_modules/id_ed25519");
      link("node_modules", "keys/node_modules");
      return "keys/node_modules/id_ed25519";
    },
    "what a link says in a node_modules it may see": ({ file, link, linkAt, packageAt }) => {
      packageAt("seen/node_modules/ping", "ping");
      file("diary/page");
      linkAt("seen/node_modules/diary", "diary");
      link("node_modules", "seen/node_modules");
      return "diary/page";
    },
    "a folder that is no package": ({ file, link }) => {
      file("project/notes");
      link("node_modules/project", "project");
      return "project/notes";
    },
    "a package by another name": ({ file, link, packageAt }) => {
      packageAt("secret-project", "secret-project");
      file("secret-project/notes");
      link("node_modules/ping", "secret-project");
      return "secret-project/notes";
    },
    "a folder whose package.json is a link": ({ file, link, linkAt, packageAt }) => {
      packageAt("bait", "bait");
      file("taxes/2025");
      linkAt("taxes/package.json", "bait/package.json");
      link("node_modules/bait", "taxes");
      return "taxes/2025";
    },
    "a single file": ({ file, link }) => {
      file("password");
      link("node_modules/password", "password");
      return "password";
    },
    "the .env of a package that it may import": ({ file, link, packageAt }) => {
      packageAt("shop", "shop");
      file("shop/.env");
      link("node_modules/shop", "shop");
      return "shop/.env";
    },
    "the .git of a package that it may import": ({ file, link, packageAt }) => {
      packageAt("till", "till");
      file("till/.git/config");
      link("node_modules/till", "till");
      return "till/.git/config";
    },
    "what a link beside node_modules leads to": ({ file, link }) => {
      file("elsewhere/node_modules/letter");
      link("modules", "elsewhere/node_modules");
      return "elsewhere/node_modules/letter";
    },
  };
  const READS = `#!/bin/sh\nfor file in $(cat "$(dirname "$0")/wanted"); do cat "$file" && exit 3; done 2> /dev/null\necho '{"version":"0","type":"done","ok":true}'\n`;
  const pathOf = (attempt: string): string => `./tools/${attempt.replaceAll(/\W+/g, "-")}/read.sh`;
  let story: MadeStory;
  let result: ExecutionResult;
  let unconfined: ExecutionResult;
  const HOME = process.env["HOME"];
  beforeAll(async () => {
    story = makeStory();
    const outside = dirname(story.path);
    for (const [attempt, make] of Object.entries(ATTEMPTS)) {
      const tool = dirname(pathOf(attempt)).split("/").at(-1) ?? "";
      story.write(pathOf(attempt), READS);
      const file = (place: string): void => {
        mkdirSync(dirname(join(outside, place)), { recursive: true });
        writeFileSync(join(outside, place), "a secret");
      };
      story.write(`tools/${tool}/wanted`, join(outside, make({ ...makerFor(story, tool), file })));
    }
    process.env["HOME"] = join(outside, "home/node_modules");
    result = await FULL.run(story, Object.keys(ATTEMPTS).map(pathOf));
    unconfined = await (LEVELS[2] ?? FULL).run(story, Object.keys(ATTEMPTS).map(pathOf));
  }, 60_000);
  afterAll(() => {
    process.env["HOME"] = HOME;
    story[Symbol.dispose]();
  });

  test.each(Object.keys(ATTEMPTS))("%s", (attempt) => {
    const found = [result, unconfined].map(({ toolResults }) =>
      toolResults.find(({ toolId }) => toolId === pathOf(attempt)),
    );
    // The second is without a sandbox: there the file is where the tool looks.
    expect(found.map((tool) => tool?.attempts[0]?.exitCode)).toEqual([0, 3]);
  });

  test("what Narratoria keeps", async () => {
    const kept = join(dirname(story.path), "kept");
    const make = makerFor(story, "keeper");
    make.packageAt("kept/add-ons/node_modules/ping", "ping");
    make.link("node_modules", "kept/add-ons/node_modules");
    const program = {
      command: [story.write("tools/keeper/tool.mjs", IMPORTS_PING)],
      storyDir: story.path,
      readFolders: [],
    };
    expect((await linkedModules(program, [])).folders).toHaveLength(1);
    expect(await linkedModules(program, [kept])).toEqual({ folders: [], links: [] });
  });
});

test("[Z1.7] folders nested without end behind links are looked through, and others have their turn meanwhile", async () => {
  using story = makeStory();
  const deep = 3_000;
  const at = (n: number): string => join(story.path, n === 0 ? "" : `p${n}`, "node_modules");
  for (let n = 0; n < deep; n++) {
    mkdirSync(at(n), { recursive: true });
    symlinkSync(join(story.path, `p${n + 1}`), join(at(n), "next"));
  }
  mkdirSync(at(deep), { recursive: true });
  const outside = join(story.path, "../node_modules/ping");
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, "package.json"), `{"name":"ping"}`);
  symlinkSync(outside, join(at(deep), "ping"));
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  const program = { command: [story.write("tool.mjs", "")], storyDir: story.path, readFolders: [] };
  const { folders } = await linkedModules(program, []);
  clearInterval(others);
  expect(folders.map(({ folder }) => folder)).toEqual([dirname(outside)]);
  expect(turns).toBeGreaterThan(0);
});

test("[Z1.5] a grant belongs to the code behind such a link too", async () => {
  using story = makeStory();
  const make = makerFor(story, "mine");
  make.packageAt("outside/node_modules/ping", "ping");
  make.link("node_modules", "outside/node_modules");
  const tool = bareTool(story.write("tools/mine/tool.mjs", IMPORTS_PING), "mine");
  const contents = createToolContents();
  const before = await contents.contentOf(story.path, tool);
  make.packageAt("outside/node_modules/ping", "ping", `export const ping = "changed";`);
  const after = await contents.contentOf(story.path, tool);
  const code = join(dirname(story.path), "outside/node_modules/ping/it.js");
  if (before.kind !== "content" || after.kind !== "content") throw new Error("it can be looked at");
  expect(before.parts[code]).toBeDefined();
  expect(after.parts[code]).not.toBe(before.parts[code]);
});
