// Shows the dialog to sign in again when the session has ended. The dialog loads then.
"use client";
import dynamic from "next/dynamic";
import { useSyncExternalStore } from "react";
import { patient } from "../parts/patient.ts";
import { useSessionEnd } from "./session-end.ts";

const SignInAgain = dynamic(() => patient(() => import("./sign-in-again.tsx").then((module) => module.SignInAgain)), {
  ssr: false,
});

export function SessionEnded() {
  const sessionEnd = useSessionEnd();
  const isOver = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.isOver, () => false);
  return isOver && <SignInAgain onDone={sessionEnd.resume} />;
}
