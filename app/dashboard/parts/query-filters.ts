// Filters and tabs in the address, so that a link and "back" restore them.
"use client";
import { useSearchParams } from "next/navigation";

/** Sets the filters of the address that have a value, and removes the others; the page is not loaded again. */
export function setQuery(changes: Record<string, string>): void {
  const parameters = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) parameters.set(name, value);
    else parameters.delete(name);
  }
  const query = parameters.size > 0 ? `?${parameters}` : "";
  history.replaceState(null, "", `${location.pathname}${query}`);
}

/** The tab that the address names, the first one without a name; choosing one changes the address. */
export function useQueryTab<Tab extends string>(tabs: readonly [Tab, ...Tab[]]): [Tab, (tab: string | null) => void] {
  const named = useSearchParams().get("tab");
  const current = tabs.find((tab) => tab === named) ?? tabs[0];
  return [current, (tab) => setQuery({ tab: tab === null || tab === tabs[0] ? "" : tab })];
}
