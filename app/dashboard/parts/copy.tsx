// <Copy>: a small button that copies a text to the clipboard and confirms it.
// text, what ("the secret": for "Copy the secret"), isFirst (it gets the focus of its dialog)
"use client";
import { ActionIcon, VisuallyHidden } from "@mantine/core";
import { useEffect, useRef } from "react";
import { IconCheck, IconCopy, IconHandFinger } from "../../design/icons.tsx";
import { useCopy } from "../../use-copy.ts";
import classes from "./copy.module.css";

const STATES = {
  idle: { Shape: IconCopy, said: "" },
  copied: { Shape: IconCheck, said: "Copied" },
  refused: { Shape: IconHandFinger, said: "Select it and copy" },
} as const;

type Props = { text: string; what: string; isFirst?: boolean };

export function Copy({ text, what, isFirst = false }: Props) {
  const { state, copy } = useCopy(text);
  const { Shape, said } = STATES[state];
  const button = useRef<HTMLButtonElement>(null);
  // Mantine looks for it only when the dialog opens, and a secret may follow a form in the same dialog.
  useEffect(() => {
    if (isFirst) button.current?.focus({ preventScroll: true });
  }, [isFirst]);

  return (
    <span className={classes.copy}>
      {said && (
        <span className={classes.said} aria-hidden>
          {said}
        </span>
      )}
      <ActionIcon
        ref={button}
        data-autofocus={isFirst || undefined}
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
