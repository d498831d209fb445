// The organization of this tab, for members of several. Stored per tab, so that two tabs can show two.
"use client";
import { useSyncExternalStore } from "react";

const KEY = "mailberth.organization";
const listeners = new Set<() => void>();

/** The id `org_…`, or null: the first one the member joined. */
export function useChosenOrganization(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => sessionStorage.getItem(KEY),
    () => null,
  );
}

/** Everything is fetched again, because the connection belongs to one organization. */
export function chooseOrganization(id: string | null): void {
  if (id === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, id);
  for (const listener of listeners) listener();
}
