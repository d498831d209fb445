// <Copy>: a small button that copies a text to the clipboard and confirms it.
// text, what ("the secret": for "Copy the secret")
"use client";
import { ActionIcon, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconCopy, IconHandFinger } from "../../design/icons.tsx";
import { useCopy } from "../../use-copy.ts";
import classes from "./copy.module.css";

const STATES = {
  idle: { Shape: IconCopy, said: "" },
  copied: { Shape: IconCheck, said: "Copied" },
  refused: { Shape: IconHandFinger, said: "Select it and copy" },
} as const;

export function Copy({ text, what }: { text: string; what: string }) {
  const { state, copy } = useCopy(text);
  const { Shape, said } = STATES[state];

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
