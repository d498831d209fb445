// The current mailbox and thread, from the address bar.
"use client";
import { useSearchParams } from "next/navigation";

const HERE = "/dashboard/mail";

export function placeHref(inbox: string, thread?: string): string {
  const query = new URLSearchParams({ inbox, ...(thread && { thread }) });
  return `${HERE}?${query}`;
}

export function usePlace(): { inbox: string; thread: string } {
  const query = useSearchParams();
  return { inbox: query.get("inbox") ?? "", thread: query.get("thread") ?? "" };
}

/** Next follows the history without a request, because the page is the same. */
export function goTo(inbox: string, thread?: string): void {
  history.pushState(null, "", placeHref(inbox, thread));
}
