// Closes a form after the field with the focus has given what was typed in it: recipients are taken when it loses the focus.
"use client";

export function afterFields(close: () => void): () => void {
  return () => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    setTimeout(close);
  };
}
