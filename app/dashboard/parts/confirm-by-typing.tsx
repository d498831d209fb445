// <ConfirmByTyping>: the dialog before an act that cannot be undone. The name must be typed; a failure is told inside.
//   opened, onClose, title ("Delete this webhook?"), name (what to type), confirm ("Delete webhook"),
//   onConfirm (does it; returns a promise), children (what will happen)
"use client";
import dynamic from "next/dynamic";
import { useState } from "react";
import type { ConfirmByTypingProps } from "./confirm-by-typing-dialog.tsx";

// Dialogs are no part of a page's first load.
const Dialog = dynamic(() => import("./confirm-by-typing-dialog.tsx").then((module) => module.ConfirmByTypingDialog), {
  ssr: false,
});

export function ConfirmByTyping(props: ConfirmByTypingProps) {
  const [needed, setNeeded] = useState(false);
  if (props.opened && !needed) setNeeded(true);
  return needed && <Dialog {...props} />;
}
