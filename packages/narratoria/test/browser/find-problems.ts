/** What axe finds wrong with a page, and whether it scrolls sideways. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

export async function findProblems(page: Page, where: string): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  const scrollsSideways = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  return scrollsSideways ? [...found, `${where}: scrolls sideways`] : found;
}
