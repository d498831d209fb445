// The organization of this tab, for members of several. Stored per tab, so that two tabs can show two; a new tab begins with the one that was chosen last.
"use client";
import { useEffect, useSyncExternalStore } from "react";

/** In the storage of the tab, and in that of the browser for new tabs. */
export const KEY = "mailberth.organization";
/** Of links in notices. */
const PARAMETER = "organization";
const listeners = new Set<() => void>();

/** A link that names an organization opens in it. Before the first call of the page. */
function adoptFromAddress(): void {
  const id = new URLSearchParams(location.search).get(PARAMETER);
  if (id) sessionStorage.setItem(KEY, id);
}

if (typeof window !== "undefined") adoptFromAddress();

/** Takes the organization out of the address, where it would outlive the next choice. */
export function useShortAddress(): void {
  useEffect(() => {
    const url = new URL(location.href);
    if (!url.searchParams.has(PARAMETER)) return;
    url.searchParams.delete(PARAMETER);
    history.replaceState(null, "", url);
  }, []);
}

/** The id `org_…`, or null: the first one the member joined. */
export function useChosenOrganization(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY),
    () => null,
  );
}

/** Everything is fetched again, because the connection belongs to one organization. */
export function chooseOrganization(id: string | null): void {
  for (const kept of [sessionStorage, localStorage]) {
    if (id === null) kept.removeItem(KEY);
    else kept.setItem(KEY, id);
  }
  for (const listener of listeners) listener();
}
