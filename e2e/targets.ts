// The targets of a page that are too small for a thumb.
import type { Page } from "@playwright/test";

/** With the space between two targets, about the 44 pixels that the platforms ask for. */
const THUMB_PX = 40;
/** Browsers place elements at fractions of a pixel. */
const ROUNDING_PX = 0.5;
const TARGETS = "button, a[href], input, select, textarea, summary, [role=option], .mantine-SegmentedControl-label";
/** Hidden until the keyboard reaches it. */
const SKIPPED = "[class*=skip]";
/** The whole of it reacts: a field with chips, a box or a radio button with its label. */
const WHOLE = "[class*=Input-wrapper], .mantine-Checkbox-body, .mantine-Radio-body";

/** Each with its size. A link within a sentence is as high as its line. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(
    ({ targets, skipped, whole, limit }) => {
      /** Also of the area that `::before` or `::after` adds. */
      function heightOf(element: Element): number {
        const added = ["::before", "::after"].map((name) => {
          const { content, position, height } = getComputedStyle(element, name);
          return content !== "none" && position === "absolute" ? Number.parseFloat(height) || 0 : 0;
        });
        return Math.max(element.getBoundingClientRect().height, ...added);
      }
      function isInSentence(element: Element): boolean {
        if (element.tagName !== "A" || getComputedStyle(element).display !== "inline") return false;
        const around = element.closest("p, li, dd, td")?.textContent ?? "";
        return around.trim().length > (element.textContent ?? "").trim().length;
      }
      const small = [...document.querySelectorAll(targets)].filter((element) => {
        const { width, height } = element.getBoundingClientRect();
        const isSeen = width > 1 && height > 1 && getComputedStyle(element).visibility === "visible";
        if (!isSeen || element.matches(skipped) || heightOf(element) >= limit) return false;
        return heightOf(element.closest(whole) ?? element) < limit && !isInSentence(element);
      });
      return small.map((element) => {
        const { width, height } = element.getBoundingClientRect();
        const name = element.getAttribute("aria-label") ?? element.textContent ?? "";
        return `${element.tagName.toLowerCase()} “${name.trim()}” ${Math.round(width)}×${Math.round(height)}`;
      });
    },
    { targets: TARGETS, skipped: SKIPPED, whole: WHOLE, limit: THUMB_PX - ROUNDING_PX },
  );
}
