// Looks at a page with axe: the rules of WCAG and those of good practice. It runs axe-core itself: the package for
// Playwright leaves out a frame that takes more than a second to load axe, and opens a further page for each look.

import type { Page } from "@playwright/test";
import axe, { type AxeResults, type RunOptions } from "axe-core";
import { CONDITION_TIMEOUT_MS } from "#test/support/patience.ts";

const OPTIONS: RunOptions = {
  resultTypes: ["violations", "incomplete"],
  pingWaitTime: CONDITION_TIMEOUT_MS,
  frameWaitTime: CONDITION_TIMEOUT_MS,
};

/**
 * Each violation, with its elements, and each frame that could not be looked into.
 * @param hasFrames whether to look into frames too; those of mail are a stranger's, and run no script
 */
export async function violationsIn(page: Page, { hasFrames = false } = {}): Promise<string[]> {
  await endOfTransitions(page);
  for (const frame of hasFrames ? page.frames() : [page.mainFrame()]) {
    if (await frame.evaluate("'axe' in window")) continue;
    await frame.evaluate(axe.source);
    await frame.evaluate('axe.configure({ allowedOrigins: ["<unsafe_all_origins>"] })');
  }
  const where = hasFrames ? "document" : '{ exclude: [["iframe"]] }';
  const call = `axe.run(${where}, ${JSON.stringify(OPTIONS)})`;
  const { violations, incomplete } = await page.evaluate<AxeResults>(call);
  const unseen = incomplete.filter(({ id }) => id === "frame-tested");
  return [...unseen, ...violations].map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n")}`);
}

/** A colour that is still changing has the contrast of neither scheme. */
async function endOfTransitions(page: Page): Promise<void> {
  await page.evaluate(() => {
    const changes = document.getAnimations().filter((each) => each.effect?.getComputedTiming().endTime !== Infinity);
    return Promise.allSettled(changes.map(({ finished }) => finished));
  });
}
