// Pages of an organization with much of everything and with long names in many scripts: every column is in sight, and short texts
// are whole.
import { expect, type Page, test } from "@playwright/test";
import { findEmbedded } from "#db/embedded/open.ts";
import { isNightly } from "#test/sizes.ts";
import { FULL_SETTINGS, fillOrganization } from "./full-organization.ts";
import { NARROW } from "./mailbox.ts";
import { becomeOwner } from "./owner.ts";
import { startService } from "./service.ts";
import { smallTargets } from "./targets.ts";

const WIDE = { width: 1440, height: 900 };
const SCREENSHOTS = "test-results/full";
const TIMEOUT_MS = 900_000;
const LOADING = ".mantine-Skeleton-root, [aria-busy=true]";
const LISTS = [
  ..."inboxes all-mail outbox approvals suppressions keys payments settings/team settings/audit".split(" "),
].map((name) => `/dashboard/${name}`);
const OTHERS = [
  ..."trash calls lists domains webhooks agents settings settings/notices settings/service".split(" "),
].map((name) => `/dashboard/${name}`);

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.waitForFunction((loading) => document.querySelector("h1") && !document.querySelector(loading), LOADING);
}

/** Tables that scroll sideways, and cells whose short text is cut or whose one word is broken. */
function cutCells(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const [shortChars, wordChars, linePx] = [26, 12, 24];
    const tables = [...document.querySelectorAll("table")].filter(
      ({ parentElement: frame }) => frame && frame.clientWidth > 1 && frame.scrollWidth > frame.clientWidth + 1,
    );
    const cells = [...document.querySelectorAll("td:not([data-kind]) > div")].filter((value) => {
      const text = (value.textContent ?? "").trim();
      const isCut = text.length <= shortChars && value.scrollHeight > value.clientHeight + 1;
      const isBroken = text.length <= wordChars && !/\s/.test(text) && value.clientHeight > linePx;
      return isCut || (isBroken && value.childElementCount === 0);
    });
    return [...tables.map((table) => table.getAttribute("aria-label") ?? ""), ...cells.map((cell) => cell.textContent)];
  });
}

test("a full organization: no column is out of sight, and short texts are whole", async ({ browser }) => {
  test.setTimeout(TIMEOUT_MS);
  const service = await startService(FULL_SETTINGS);
  const { baseUrl, smtpPort, ownerLink, environment } = service;
  const context = await browser.newContext({ baseURL: baseUrl, reducedMotion: "reduce" });
  try {
    await becomeOwner(context, baseUrl, ownerLink);
    const databaseUrl = environment.DATABASE_URL ?? (await findEmbedded(environment.DATA_DIR ?? "")) ?? "";
    const places = await fillOrganization({ context, baseUrl, smtpPort, databaseUrl });
    const page = await context.newPage();
    for (const path of ["/dashboard", ...LISTS, ...(isNightly ? OTHERS : []), ...Object.values(places)]) {
      const [name] = path.slice(1).replaceAll("/", "-").split("?");
      await page.setViewportSize(WIDE);
      await open(page, path);
      await page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
      expect.soft(await cutCells(page), path).toEqual([]);
      await page.setViewportSize(NARROW);
      const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect.soft(await sideways(), `${path} scrolls sideways`).toBeLessThanOrEqual(0);
      expect.soft(await smallTargets(page), `${path}: too small for a thumb`).toEqual([]);
      await expect.soft(page.locator("kbd:visible"), `${path}: hints at keys on a phone`).toHaveCount(0);
    }
  } finally {
    await context.close();
    await service.stop();
  }
});
