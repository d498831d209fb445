// A button that puts a text on the clipboard and says so.
"use client";
import { useEffect, useState } from "react";

const SAY_FOR_MS = 2000;
const LABELS = { idle: "Copy", copied: "Copied", refused: "Select and copy" } as const;

/** @param what names the thing for those who hear the page: "Copy the REST address" */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [state, setState] = useState<keyof typeof LABELS>("idle");

  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), SAY_FOR_MS);
    return () => clearTimeout(timer);
  }, [state]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      // No clipboard outside https and localhost, or the visitor said no: the label asks for the hand.
      setState("refused");
    }
  }

  return (
    <button type="button" className="copy" data-state={state} onClick={copy}>
      <span aria-hidden="true">{LABELS[state]}</span>
      <span className="visually-hidden" aria-live="polite">
        {state === "idle" ? `Copy ${what}` : LABELS[state]}
      </span>
    </button>
  );
}
