/**
 * From a tool's line on stdout to the frame that shows it, in Chromium: through the sandbox's pipe, the log, SQLite, the
 * event stream and React. The tool prints the time; the page compares it with its own clock, which is the same.
 */
import { launchChromium } from "../packages/narratoria/test/browser/chromium.ts";
import { createPlayer } from "../packages/narratoria/test/browser/player.ts";
import { makeStory, shellTool } from "../packages/narratoria/test/made-story.ts";
import { createPlayground, serve } from "../packages/narratoria/test/serve-process.ts";
import type { Benchmark, Row } from "./compare.ts";

const LIMIT_MS = 100;
const LINES = 60;
/** The first lines find cold caches. */
const WARM_UP_LINES = 10;

const benchmark: Benchmark = { title: "A tool's line to the pixel", run };
export default benchmark;

async function run(): Promise<Row[]> {
  using ground = createPlayground();
  using story = makeClockStory();
  const options = ["--port", "0", "--data", ground.data, "--story", story.path];
  const [browser, server] = await Promise.all([launchChromium(), serve(options)]);
  try {
    await using player = await createPlayer(browser, server);
    await player.context.addInitScript(WATCH_THE_CLOCK);
    await player.open();
    await player.choose("tick");
    await player.turnsDone(1);
    const delays = (await player.page.evaluate("window.delays")) as number[];
    const sorted = delays.slice(WARM_UP_LINES).toSorted((a, b) => a - b);
    const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
    const target = { met: at(0.5) < LIMIT_MS, text: `under ${LIMIT_MS} ms at the median` };
    return [
      {
        name: `median of ${sorted.length} lines, against the limit`,
        measured: at(0.5),
        baseline: LIMIT_MS,
        unit: "ms",
        target,
      },
      { name: "slowest of twenty, against the limit", measured: at(0.95), baseline: LIMIT_MS, unit: "ms" },
    ];
  } finally {
    await browser.close();
    await server.end("SIGTERM");
  }
}

function makeClockStory() {
  const line = '{"version":"0","type":"log","level":"info","message":"%s"}\\n';
  const script = `for n in $(seq ${LINES}); do printf '${line}' "$(date +%s%3N)"; sleep 0.1; done`;
  return makeStory({
    ...shellTool("tick", [], script),
    "plans.json": [
      { opening: true, narrative: "A clock.", choices: ["tick"] },
      { match: "tick", plan: { tools: [{ toolId: "tick", toolPath: "tick" }] }, narrative: "It stops." },
    ],
    "story.json": { title: "The Clock", narrator: "stub" },
  });
}

/** As text: it runs in the page. A frame after the change is the first that can show it; the task after it has painted. */
const WATCH_THE_CLOCK = `
  window.delays = [];
  let seen = "";
  new MutationObserver(() => {
    const shown = document.querySelector(".strip-message")?.textContent ?? "";
    if (!/^\\d+$/.test(shown) || shown === seen) return;
    seen = shown;
    requestAnimationFrame(() => setTimeout(() => window.delays.push(Date.now() - Number(shown))));
  }).observe(document, { subtree: true, childList: true, characterData: true });
`;
