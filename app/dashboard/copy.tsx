// <Copy>: a small button that puts a text on the clipboard and says so.   text, what ("the secret": for "Copy the secret")
"use client";
import { ActionIcon, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconCopy, IconHandFinger } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import classes from "./copy.module.css";

const SAY_FOR_MS = 2_000;
const STATES = {
  idle: { Shape: IconCopy, said: "" },
  copied: { Shape: IconCheck, said: "Copied" },
  refused: { Shape: IconHandFinger, said: "Select it and copy" },
} as const;

export function Copy({ text, what }: { text: string; what: string }) {
  const [state, setState] = useState<keyof typeof STATES>("idle");
  const { Shape, said } = STATES[state];

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
    <span className={classes.copy}>
      {said && (
        <span className={classes.said} aria-hidden>
          {said}
        </span>
      )}
      <ActionIcon
        variant="subtle"
        color={state === "copied" ? "green" : "gray"}
        aria-label={`Copy ${what}`}
        title={`Copy ${what}`}
        onClick={copy}
      >
        <Shape size={17} aria-hidden />
      </ActionIcon>
      <VisuallyHidden aria-live="polite">{said}</VisuallyHidden>
    </span>
  );
}
