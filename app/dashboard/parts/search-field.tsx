// <SearchField>: a field above a list. const search = useSearch("q"): its text is in the address as `?q=`, once the member stops
// typing (search.text). label ("Find an inbox"), placeholder, clear ("Show all inboxes")
"use client";
import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";
import { IconSearch } from "../../design/shell-icons.tsx";
import { setQuery } from "./query-filters.ts";

const TYPING_MS = 250;

export function useSearch(name: string) {
  const parameters = useSearchParams();
  const [typed, setTyped] = useState(parameters.get(name) ?? "");
  const [text] = useDebouncedValue(typed.trim(), TYPING_MS);
  useEffect(() => setQuery({ [name]: text }), [name, text]);
  return { typed, setTyped, text, clear: () => setTyped("") };
}

type Props = { search: ReturnType<typeof useSearch>; label: string; placeholder: string; clear: string };

export function SearchField({ search, label, placeholder, clear }: Props) {
  return (
    <TextInput
      mb="md"
      maw="24rem"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={17} aria-hidden />}
      rightSection={search.typed && <CloseButton size="sm" aria-label={clear} onClick={search.clear} />}
      value={search.typed}
      onChange={(event) => search.setTyped(event.currentTarget.value)}
    />
  );
}
