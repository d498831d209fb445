// Puts a text on the clipboard, and tells for a moment what came of it.
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
      // No clipboard outside https and localhost, or the visitor said no: the label asks for the hand.
      setState("refused");
    }
  }

  return { state, copy };
}
