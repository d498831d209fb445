// Reads the search box: words, and filters such as `from:ann` or `before:2026-11-01`; and the filters beside it.
import type { Filters } from "../place.ts";

const FILTER = /(?:^|\s)(from|to|subject|before|after):(?:"([^"]*)"|(\S+))/gi;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

type Search = Partial<Record<"q" | "from" | "to" | "subject" | "before" | "after", string>>;

/** A date that does not exist stays among the words. */
export function readSearch(typed: string): Search {
  const search: Search = {};
  const words = typed.replace(FILTER, (all, name: string, quoted?: string, plain?: string) => {
    const key = name.toLowerCase() as keyof Search;
    const value = (quoted ?? plain ?? "").trim();
    const isTime = key === "before" || key === "after";
    if (value === "" || (isTime && (!DATE.test(value) || Number.isNaN(Date.parse(value))))) return all;
    search[key] = isTime ? `${value}T00:00:00Z` : value;
    return " ";
  });
  // A word needs a letter or a digit.
  if (/[\p{L}\p{N}]/u.test(words)) search.q = words.replace(/\s+/g, " ").trim();
  return search;
}

/** The filters of the list as those of the API. */
export function readFilters({ q, show, label }: Filters) {
  return {
    ...readSearch(q),
    ...(show === "unread" && { unread: true }),
    ...(show === "risky" && { risky: true }),
    ...(show === "sent" && { direction: "outbound" as const }),
    ...(show === "quarantine" && { quarantined: true }),
    ...(label && { label }),
  };
}
