// The <button> of all buttons: one that loads, or that is switched off while it has the focus, keeps the focus. A browser takes the focus
// from a disabled button, and then a keyboard and a screen reader are at the top of the page.
"use client";
import { type ComponentProps, type MouseEvent, useState } from "react";

/** Mantine sets `disabled` also while a button loads. */
type Props = ComponentProps<"button"> & { "data-loading"?: boolean };

function refuse(event: MouseEvent): void {
  event.preventDefault();
  event.stopPropagation();
}

export function KeptButton({ disabled = false, type = "button", onClick, onFocus, onBlur, ...others }: Props) {
  const [hasFocus, setHasFocus] = useState(false);
  const isLoading = Boolean(others["data-loading"]);
  const isKept = disabled && (isLoading || hasFocus);
  return (
    <button
      {...others}
      type={type}
      disabled={disabled && !isKept}
      {...(isKept && { "aria-disabled": true })}
      {...(isLoading && { "aria-busy": true })}
      onClick={isKept ? refuse : onClick}
      onFocus={(event) => {
        setHasFocus(true);
        onFocus?.(event);
      }}
      onBlur={(event) => {
        setHasFocus(false);
        onBlur?.(event);
      }}
    />
  );
}
