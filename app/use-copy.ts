// Copies a text to the clipboard, and shows the result for a few seconds.
"use client";
import { useEffect, useState } from "react";

const SAY_FOR_MS = 2_000;

export type CopyState = "idle" | "copied" | "refused";

export function useCopy(text: string): { state: CopyState; copy: () => Promise<void> } {
  const [state, setState] = useState<CopyState>("idle");

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
      // No clipboard outside https and localhost, or permission was denied: the label asks to copy by hand.
      setState("refused");
    }
  }

  return { state, copy };
}
