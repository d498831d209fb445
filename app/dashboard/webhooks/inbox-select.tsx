// <InboxSelect>: chooses one of any number of mailboxes by typing.
// value, onChange, error
"use client";
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../trpc.ts";

/** All are visible, because typing one more letter is easier than scrolling. */
const SHOWN_ROWS = 8;
const HEIGHT_PX = 400;
const TYPING_MS = 200;

type Props = { value: string | null; onChange: (address: string | null) => void; error?: string | undefined };

export function InboxSelect({ value, onChange, error }: Props) {
  const trpc = useTRPC();
  const [typed, setTyped] = useState("");
  // The field shows the chosen address, which is no search text.
  const [wanted] = useDebouncedValue(typed === value ? "" : typed.trim(), TYPING_MS);
  const found = useQuery(
    trpc.inboxes.summaries.queryOptions(
      { limit: SHOWN_ROWS, ...(wanted && { q: wanted }) },
      { placeholderData: keepPreviousData },
    ),
  );
  const addresses = found.data?.data.map(({ address }) => address) ?? [];
  const data = value !== null && !addresses.includes(value) ? [value, ...addresses] : addresses;
  const nothing = found.isError ? "The inboxes could not be loaded." : "No inbox address contains this text.";
  return (
    <Select
      label="Inbox"
      placeholder="Type to find an address"
      required
      searchable
      clearable
      clearButtonProps={{ "aria-label": "Clear the inbox" }}
      data={data}
      maxDropdownHeight={HEIGHT_PX}
      // The service has already filtered.
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage={found.isFetching ? "Looking…" : nothing}
      error={error}
    />
  );
}
