// useKeptFocus: when what has the focus disappears from the page, the focus goes to what follows it, and on another page to the content.
// A browser gives it to no element then, and the next Tab begins at the top of the page.
"use client";
import { useEffect } from "react";

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

/** Where a node was: after `before` in `parent`. */
type Place = { parent: Node; before: Node | null };

/** @param records of one batch, in their order; a parent may have been removed later */
function placeOf(gone: Node, records: MutationRecord[]): Place | undefined {
  let place: Place | undefined;
  for (const { removedNodes, target, previousSibling } of records) {
    const lost = place?.parent ?? gone;
    if ([...removedNodes].some((node) => node.contains(lost))) place = { parent: target, before: previousSibling };
  }
  return place;
}

function isAfter({ parent, before }: Place, element: Element): boolean {
  if (!before?.isConnected) {
    return (parent.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  }
  const position = before.compareDocumentPosition(element);
  return (position & Node.DOCUMENT_POSITION_FOLLOWING) !== 0 && !before.contains(element);
}

export function useKeptFocus(): void {
  useEffect(() => {
    const main = document.getElementById("main");
    if (!main) return;
    let last: { element: Element; path: string } | undefined;
    function note({ target }: Event) {
      const isWithin = target instanceof Element && target !== main && main?.contains(target);
      last = isWithin ? { element: target, path: location.pathname } : undefined;
    }
    function forget() {
      last = undefined;
    }
    function next(place: Place | undefined, path: string): HTMLElement | null {
      if (!place || path !== location.pathname) return main;
      const all = [...(main?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])].filter((each) => each.checkVisibility());
      return all.find((each) => isAfter(place, each)) ?? all.at(-1) ?? main;
    }
    const observer = new MutationObserver((records) => {
      if (!last || last.element.isConnected) return;
      const { element, path } = last;
      const place = placeOf(element, records);
      last = undefined;
      // What closes or opens a part of the page may give the focus to another place.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) next(place, path)?.focus({ preventScroll: true });
      });
    });
    observer.observe(main, { childList: true, subtree: true });
    document.addEventListener("focusin", note);
    // A press elsewhere takes the focus away on purpose. That of a button gives it to the button afterwards.
    document.addEventListener("pointerdown", forget, { capture: true });
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", note);
      document.removeEventListener("pointerdown", forget, { capture: true });
    };
  }, []);
}
