/**
 * What axe finds wrong with a page, in both schemes, and whether it scrolls sideways. A scheme changes colours and
 * nothing else, so all rules are tried in the scheme shown, and in the other one those that look at colours.
 * The player must have asked for less motion: a colour on its way to another has no contrast to speak of.
 */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

const RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"];

export async function findProblems(page: Page, where: string): Promise<string[]> {
  const found = await askAxe(page, where);
  const shown = await showScheme(page, null);
  await showScheme(page, shown === "dark" ? "light" : "dark");
  found.push(...(await askAxe(page, `${where}, the other scheme`, RULES_OF_COLOURS)));
  await showScheme(page, shown);
  const scrollsSideways = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  return scrollsSideways ? [...found, `${where}: scrolls sideways`] : found;
}

async function askAxe(page: Page, where: string, rules?: string[]): Promise<string[]> {
  // Otherwise each look is put together in a page of its own, for the sake of frames from elsewhere: three times as long.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  return violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

/** Gives back the one that was shown before. */
function showScheme(page: Page, scheme: string | null): Promise<string> {
  return page.evaluate((next) => {
    const root = document.documentElement;
    const before = root.dataset["scheme"] ?? "";
    if (next !== null) root.dataset["scheme"] = next;
    return before;
  }, scheme);
}
