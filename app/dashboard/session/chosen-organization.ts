// The organization of this tab, for members of several. Stored per tab, so that two tabs can show two; a new tab begins with the one that was chosen last.
"use client";
import { useSyncExternalStore } from "react";

/** In the storage of the tab, and in that of the browser for new tabs. */
export const KEY = "mailberth.organization";
const listeners = new Set<() => void>();

if (typeof window !== "undefined") {
  // Links in notices name it. Kept for the tab, which another tab must not change.
  const named = /\borganization=(\w+)/.exec(location.search)?.[1];
  const id = named ?? sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
  if (id) sessionStorage.setItem(KEY, id);
}

/** The id `org_…`, or null: the first one the member joined. */
export function useChosenOrganization(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => sessionStorage.getItem(KEY) || null,
    () => null,
  );
}

/** Everything is fetched again, because the connection belongs to one organization. */
export function chooseOrganization(id: string | null): void {
  // An empty one is none, also for a new tab.
  sessionStorage.setItem(KEY, id ?? "");
  localStorage.setItem(KEY, id ?? "");
  for (const listener of listeners) listener();
}
