// The filters of all mail: words, inbox, direction, state, unread and risky. Stored in the address.
"use client";
import { Button, Checkbox, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { readSearch } from "../mail/list/search.ts";
import { stateWords } from "../mail/status.ts";
import { setQuery } from "../parts/query-filters.ts";
import { SearchField, useSearch } from "../parts/search-field.tsx";
import { type Inputs, useTRPC } from "../trpc.ts";
import classes from "./all-mail.module.css";

const INBOXES_MAX = 100;
const NAMES = ["q", "inbox", "direction", "state", "unread", "risky"] as const;
const DIRECTIONS = [
  { value: "", label: "Both" },
  { value: "inbound", label: "Received" },
  { value: "outbound", label: "Sent" },
];
const STATES = [
  "held",
  "scheduled",
  "queued",
  "captured",
  "sent",
  "delivered",
  "bounced",
  "complained",
  "suppressed",
  "failed",
  "rejected",
  "cancelled",
] as const;
const QUARANTINE = "quarantine";

export type Filters = Omit<Inputs["messages"]["search"], "limit" | "cursor">;

/** The filters of the address for the API. */
export function useMailFilters(): Filters {
  const parameters = useSearchParams();
  const given = (name: (typeof NAMES)[number]) => parameters.get(name) ?? "";
  const state = STATES.find((each) => each === given("state"));
  const direction = state ? "outbound" : (["inbound", "outbound"] as const).find((each) => each === given("direction"));
  return {
    ...readSearch(given("q")),
    ...(given("state") === QUARANTINE && { quarantined: true }),
    ...(given("inbox") && { inbox: given("inbox") }),
    ...(direction && { direction }),
    ...(state && { status: state }),
    ...(given("unread") && { unread: true }),
    ...(given("risky") && { risky: true }),
  };
}

export function clearFilters() {
  setQuery(Object.fromEntries(NAMES.map((name) => [name, ""])));
}

export function MailFilters() {
  const trpc = useTRPC();
  const parameters = useSearchParams();
  const search = useSearch("q");
  const inboxes = useQuery(trpc.inboxes.list.queryOptions({ limit: INBOXES_MAX }));
  const chosen = parameters.get("inbox") ?? "";
  const addresses = new Set([...(chosen ? [chosen] : []), ...(inboxes.data?.data.map(({ address }) => address) ?? [])]);
  const choose = (name: "inbox" | "direction" | "state", label: string, data: { value: string; label: string }[]) => (
    <NativeSelect
      label={label}
      data={data}
      value={parameters.get(name) ?? ""}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
    />
  );
  const tick = (name: "unread" | "risky", label: string) => (
    <Checkbox
      className={classes.tick}
      label={label}
      checked={parameters.get(name) !== null}
      onChange={(event) => setQuery({ [name]: event.currentTarget.checked ? "1" : "" })}
    />
  );
  function clear() {
    search.clear();
    clearFilters();
  }
  return (
    <search aria-label="All mail">
      <SearchField
        search={search}
        label="Search all mail"
        placeholder="Search mail, or from:ann"
        clear="Clear the search"
      />
      <div className={classes.filters}>
        {choose("inbox", "Inbox", [
          { value: "", label: "Every inbox" },
          ...[...addresses].map((address) => ({ value: address, label: address })),
        ])}
        {choose("direction", "Direction", DIRECTIONS)}
        {choose("state", "State", [
          { value: "", label: "Every state" },
          ...STATES.map((state) => ({ value: state, label: stateWords(state) })),
          { value: QUARANTINE, label: "In quarantine" },
        ])}
        {tick("unread", "Unread")}
        {tick("risky", "Risky")}
        {NAMES.some((name) => parameters.get(name)) && (
          <Button variant="subtle" onClick={clear}>
            Clear
          </Button>
        )}
      </div>
    </search>
  );
}
