// <SecretOnce>: shows a secret once, in a dialog that only "I have stored it" closes.
// secret (null: closed), title ("The key is issued"), what ("the agent key"), onStored, children (how to use it,
// optional)
"use client";
import { useState } from "react";
import { later } from "./later.ts";
import type { SecretOnceProps } from "./secret-once-dialog.tsx";

// Loaded on demand, because dialogs are not visible at first.
const Dialog = later(() => import("./secret-once-dialog.tsx"));

export function SecretOnce(props: SecretOnceProps) {
  const [needed, setNeeded] = useState(false);
  if (props.secret !== null && !needed) setNeeded(true);
  return needed && <Dialog {...props} />;
}
