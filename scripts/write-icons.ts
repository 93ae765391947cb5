/** Draws the app's icons from `favicon.svg`: `node scripts/write-icons.ts` after the picture has changed. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { launchChromium } from "../packages/narratoria/test/browser/chromium.ts";

const folder = path.resolve(import.meta.dirname, "../packages/narratoria/web/public");
const picture = `data:image/svg+xml;base64,${readFileSync(path.join(folder, "favicon.svg")).toString("base64")}`;
/** Systems cut a maskable icon into their own shape: ground to the edges, the picture within the middle. */
const ICONS = [
  { file: "icon-192.png", size: 192, share: 1, ground: "transparent" },
  { file: "icon-512.png", size: 512, share: 1, ground: "transparent" },
  { file: "icon-maskable-512.png", size: 512, share: 0.8, ground: "#4f3d74" },
];

const browser = await launchChromium();
try {
  for (const { file, size, share, ground } of ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    const side = Math.round(size * share);
    await page.setContent(
      `<body style="margin:0;height:100vh;display:grid;place-items:center;background:${ground}">` +
        `<img src="${picture}" width="${side}" height="${side}"></body>`,
    );
    writeFileSync(path.join(folder, file), await page.screenshot({ omitBackground: true }));
    console.log(`Wrote ${file}`);
    await page.close();
  }
} finally {
  await browser.close();
}
