// <SecretOnce>: a secret that is shown once, in a dialog that only "I have stored it" closes.
//   secret (null: closed), title ("The key is made"), what ("the agent key"), onStored, children (how to use it, optional)
"use client";
import dynamic from "next/dynamic";
import { useState } from "react";
import type { SecretOnceProps } from "./secret-once-dialog.tsx";

// Dialogs are no part of a page's first load.
const Dialog = dynamic(() => import("./secret-once-dialog.tsx").then((module) => module.SecretOnceDialog), {
  ssr: false,
});

export function SecretOnce(props: SecretOnceProps) {
  const [needed, setNeeded] = useState(false);
  if (props.secret !== null && !needed) setNeeded(true);
  return needed && <Dialog {...props} />;
}
