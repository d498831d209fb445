// <ConfirmByTyping>: the dialog before an action that cannot be undone. The name must be typed; a failure is shown
// inside.
// opened, onClose, title ("Delete this webhook?"), name (what to type), confirm ("Delete webhook"), onConfirm (does it;
// returns a promise), children (what will happen)
"use client";
import { useState } from "react";
import type { ConfirmByTypingProps } from "./confirm-by-typing-dialog.tsx";
import { later } from "./later.ts";

// Loaded on demand, because dialogs are not visible at first.
const Dialog = later(() => import("./confirm-by-typing-dialog.tsx"));

export function ConfirmByTyping(props: ConfirmByTypingProps) {
  const [needed, setNeeded] = useState(false);
  if (props.opened && !needed) setNeeded(true);
  return needed && <Dialog {...props} />;
}
