// Shows why signing in or setting a password failed, and what to do; after too many attempts it counts down.
"use client";
import { Alert } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { isSessionError } from "../session-error.ts";
import { IconClock } from "./icons.tsx";
import { IconAlertTriangle } from "./shell-icons.tsx";

const SECOND_MS = 1_000;

/** Whole seconds to wait after `error`; 0 for none. */
export function useWait(error: Error | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const wait = isSessionError(error) ? (error.retryAfter ?? 0) : 0;
    const end = performance.now() + wait * SECOND_MS;
    const look = () => setLeft(Math.max(0, Math.ceil((end - performance.now()) / SECOND_MS)));
    look();
    if (wait === 0) return;
    const timer = setInterval(look, SECOND_MS);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}

type Props = {
  error: Error;
  /** Seconds left of useWait. */
  wait: number;
  /** Texts by error code. */
  words: Record<string, ReactNode>;
};

const UNREACHED = "The service did not answer. Check your connection, then try again.";

export function SessionProblem({ error, wait, words }: Props) {
  if (!isSessionError(error)) return <Refusal>{error.message} Try again.</Refusal>;
  if (error.retryAfter !== undefined) {
    return (
      <Alert color="yellow" role="alert" icon={<IconClock aria-hidden />} title="Too many attempts">
        {wait > 0 ? (
          // Announced once, not every second.
          <span aria-live="off">
            You can try again in {wait} {wait === 1 ? "second" : "seconds"}.
          </span>
        ) : (
          "You can try again now."
        )}
      </Alert>
    );
  }
  return (
    <Refusal>{words[error.code] ?? (error.code === "network" ? UNREACHED : `${error.message} Try again.`)}</Refusal>
  );
}

function Refusal({ children }: { children: ReactNode }) {
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />}>
      {children}
    </Alert>
  );
}
