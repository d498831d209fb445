// Whether the session has ended while the dashboard is open, and who waits for it to begin again.
"use client";
import { createContext, use } from "react";

export type SessionEnd = {
  /** From now on an ended session is signed in again in place: there is something on the screen to lose. */
  arm(): void;
  readonly armed: boolean;
  /** Says that it has ended; resolves when the member is signed in again. */
  ended(): Promise<void>;
  /** Signed in again: whoever waits goes on. */
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
  if (!sessionEnd) throw new Error("useSessionEnd is for what stands below Connection");
  return sessionEnd;
}
