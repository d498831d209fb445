// Shows the dialog to sign in again when the session has ended. The dialog loads then.
"use client";
import { useSyncExternalStore } from "react";
import { later } from "../parts/later.ts";
import { useSessionEnd } from "./session-end.ts";

const SignInAgain = later(() => import("./sign-in-again.tsx"));

export function SessionEnded() {
  const sessionEnd = useSessionEnd();
  const isOver = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.isOver, () => false);
  return isOver && <SignInAgain onDone={sessionEnd.resume} />;
}
