// The one-time code of a mail, as a button that copies it.
"use client";
import { IconCheck, IconCopy, IconHandFinger } from "../../design/icons.tsx";
import { useCopy } from "../../use-copy.ts";
import classes from "./chip.module.css";

const SHAPES = { idle: IconCopy, copied: IconCheck, refused: IconHandFinger };

type Props = { code: string; isSmall?: boolean };

export function CodeChip({ code, isSmall = false }: Props) {
  const { state, copy } = useCopy(code);
  const Shape = SHAPES[state];
  return (
    <button
      type="button"
      className={classes.chip}
      data-small={isSmall || undefined}
      data-thumb
      onClick={copy}
      title={state === "refused" ? "Select the code and copy it" : "Copy the code"}
      aria-label={`Copy the code ${code}`}
    >
      <code>{code}</code>
      <Shape size={isSmall ? 13 : 15} aria-hidden />
      <span className="visually-hidden" aria-live="polite">
        {state === "copied" ? "Copied" : ""}
      </span>
    </button>
  );
}
