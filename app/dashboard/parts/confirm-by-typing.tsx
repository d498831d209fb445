// <ConfirmByTyping>: the dialog before an action that cannot be undone. The name must be typed; a failure is shown
// inside.
// opened, onClose, title ("Delete this webhook?"), name (what to type), confirm ("Delete webhook"), onConfirm (does it;
// returns a promise), children (what will happen)
"use client";
import dynamic from "next/dynamic";
import { useState } from "react";
import { patient } from "../parts/patient.ts";
import type { ConfirmByTypingProps } from "./confirm-by-typing-dialog.tsx";

// Loaded on demand, because dialogs are not visible at first.
const Dialog = dynamic(
  () => patient(() => import("./confirm-by-typing-dialog.tsx").then((module) => module.ConfirmByTypingDialog)),
  {
    ssr: false,
  },
);

export function ConfirmByTyping(props: ConfirmByTypingProps) {
  const [needed, setNeeded] = useState(false);
  if (props.opened && !needed) setNeeded(true);
  return needed && <Dialog {...props} />;
}
