// Which organization this tab shows, for members of several. Kept per tab: two tabs may show two.
"use client";
import { useSyncExternalStore } from "react";

const KEY = "mailberth.organization";
const listeners = new Set<() => void>();

/** The id `org_…`, or null: the one the member joined first. */
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

/** Everything shown is read anew: the connection is made for one organization. */
export function chooseOrganization(id: string | null): void {
  if (id === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, id);
  for (const listener of listeners) listener();
}
