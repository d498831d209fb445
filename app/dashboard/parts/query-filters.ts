// Filters in the address, so that a link and "back" restore them.
"use client";

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
