// The current mailbox, thread and filters, from the address bar: links can be shared, and the back button works.
"use client";
import { useSearchParams } from "next/navigation";

const HERE = "/dashboard/mail";
const SHOWS = ["all", "unread", "risky", "sent", "quarantine"] as const;

export type Show = (typeof SHOWS)[number];
export type Filters = { q: string; show: Show; label: string };
/**
 * `message`: the one that a search found, which opens. `search`: the filters of all mail, as a query, if it was found there; the way back
 * leads to them.
 */
type Found = { message: string; search: string };
type FoundMessage = { id: string; inbox: string; thread_id: string; quarantined?: boolean | undefined };
export type Place = Filters & Found & { inbox: string; thread: string };

export const NO_FILTERS: Filters = { q: "", show: "all", label: "" };

function hrefOf(place: Record<string, string | undefined>): string {
  const given = Object.entries(place).flatMap(([name, value]) => (value && value !== "all" ? [[name, value]] : []));
  return `${HERE}?${new URLSearchParams(given)}`;
}

export function placeHref(inbox: string, thread?: string, filters: Partial<Filters & Found> = NO_FILTERS): string {
  return hrefOf({ inbox, thread, ...filters });
}

/** A message that the filters of all mail found, in its thread. */
export function foundHref({ id, inbox, thread_id, quarantined }: FoundMessage, search: string) {
  // It is in no thread yet.
  if (quarantined) return placeHref(inbox, id, { show: "quarantine", search });
  return placeHref(inbox, thread_id, { message: id, search });
}

export function usePlace(): Place {
  return readPlace(useSearchParams());
}

export function readPlace(query: Pick<URLSearchParams, "get">): Place {
  const show = SHOWS.find((each) => each === query.get("show")) ?? "all";
  const text = (name: string) => query.get(name) ?? "";
  return {
    inbox: text("inbox"),
    thread: text("thread"),
    message: text("message"),
    search: text("search"),
    q: text("q"),
    show,
    label: text("label"),
  };
}

/**
 * Changes parts of the address; the others stay. Next follows the history without a request, because the page is the
 * same.
 * @param replace without a new step of the back button
 */
export function goTo(change: Partial<Place>, replace = false): void {
  // Another thread has another found message.
  const found = change.thread === undefined ? {} : { message: undefined };
  const href = hrefOf({ ...Object.fromEntries(new URLSearchParams(location.search)), ...found, ...change });
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
}
