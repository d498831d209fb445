// Tracks whether the session has ended while the dashboard is open, and the calls that wait for a new one.
"use client";
import { createContext, use } from "react";

export type SessionEnd = {
  /** From now on, an ended session is renewed in place, because the page may hold unsaved input. */
  arm(): void;
  readonly armed: boolean;
  /** Reports the end; resolves when the member has signed in again. */
  ended(): Promise<void>;
  /** Signed in again: waiting calls continue. */
  resume(): void;
  /** For useSyncExternalStore. */
  subscribe(listener: () => void): () => void;
  isOver(): boolean;
};

export function createSessionEnd(): SessionEnd {
  const listeners = new Set<() => void>();
  let armed = false;
  let waiting: PromiseWithResolvers<void> | undefined;
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return {
    arm() {
      armed = true;
    },
    get armed() {
      return armed;
    },
    ended() {
      if (!waiting) {
        waiting = Promise.withResolvers();
        tell();
      }
      return waiting.promise;
    },
    resume() {
      waiting?.resolve();
      waiting = undefined;
      tell();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isOver: () => waiting !== undefined,
  };
}

export const SessionEndContext = createContext<SessionEnd | null>(null);

export function useSessionEnd(): SessionEnd {
  const sessionEnd = use(SessionEndContext);
  if (!sessionEnd) throw new Error("useSessionEnd must be used inside Connection");
  return sessionEnd;
}
