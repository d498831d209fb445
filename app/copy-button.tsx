// A button that copies a text to the clipboard and confirms it.
"use client";
import { useInBrowser } from "./in-browser.ts";
import { useCopy } from "./use-copy.ts";

const LABELS = { idle: "Copy", copied: "Copied", refused: "Select and copy" } as const;

/** @param what names the text for screen readers: "Copy the REST address" */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { state, copy } = useCopy(text);
  // In HTML without its script, a click would do nothing.
  const isReady = useInBrowser();

  return (
    <button type="button" className="copy" data-state={state} disabled={!isReady} onClick={copy}>
      <span aria-hidden="true">{LABELS[state]}</span>
      <span className="visually-hidden" aria-live="polite">
        {state === "idle" ? `Copy ${what}` : LABELS[state]}
      </span>
    </button>
  );
}
