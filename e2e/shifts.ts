// How far the content of a page moves while it loads: the sum of the browser's layout shifts, as in Web Vitals.
import type { Page } from "@playwright/test";

type Watching = Window & { layoutShift?: number };

/** For the pages that are opened afterwards. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const watching: Watching = window;
    watching.layoutShift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) {
        watching.layoutShift = (watching.layoutShift ?? 0) + entry.value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
}

export function shiftOf(page: Page): Promise<number> {
  return page.evaluate(() => (window as Watching).layoutShift ?? 0);
}
