// The search box and the filters of the list. They are in the address, so that the back button works.
"use client";
import { CloseButton, SegmentedControl, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { IconSearch } from "../../../design/shell-icons.tsx";
import { later } from "../../parts/later.ts";
import { type Filters, goTo, type Show } from "../place.ts";
import classes from "./list.module.css";

const LabelFilter = later(
  () => import("./label-filter.tsx"),
  () => <span className={classes.labelFilter} />,
);

const TYPING_MS = 300;
const QUERY_CHARS = 500;
const HELP = "Words, or from:ann to:bob subject:invoice after:2026-11-01 before:2026-12-01";
const SHOWS: { value: Show; label: string }[] = [
  { value: "all", label: "All" },
  { value: "unread", label: "Unread" },
  { value: "risky", label: "Risky" },
  { value: "sent", label: "Sent" },
  { value: "quarantine", label: "Quarantine" },
];

type Props = { filters: Filters; labels: string[]; quarantined: number };

export function MailFilters({ filters: { q, show, label }, labels, quarantined }: Props) {
  const counted = (each: (typeof SHOWS)[number]) =>
    each.value === "quarantine" && quarantined > 0
      ? { ...each, label: `${each.label} ${quarantined.toLocaleString("en")}` }
      : each;
  return (
    <div className={classes.filters}>
      <SearchBox q={q} />
      <SegmentedControl
        size="xs"
        className={classes.shows}
        aria-label="Which mail"
        data={SHOWS.map(counted)}
        value={show}
        onChange={(value) => goTo({ show: SHOWS.find((each) => each.value === value)?.value ?? "all" })}
      />
      {labels.length > 0 && <LabelFilter label={label} labels={labels} />}
    </div>
  );
}

function SearchBox({ q }: { q: string }) {
  const [typed, setTyped] = useState(q);
  const sent = useRef(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The back button changes the address, and with it the box.
  useEffect(() => {
    if (sent.current === q) return;
    sent.current = q;
    setTyped(q);
  }, [q]);

  function search(text: string) {
    // One step back leaves the search, however often it was changed.
    const isChange = sent.current !== "" && text !== "";
    sent.current = text;
    goTo({ q: text }, isChange);
  }

  function type(text: string, wait: number) {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => text.trim() !== sent.current && search(text.trim()), wait);
  }

  return (
    <TextInput
      type="search"
      className={classes.search}
      aria-label="Search this inbox"
      placeholder="Search mail, or from:ann"
      title={HELP}
      maxLength={QUERY_CHARS}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={typed && <CloseButton size="sm" aria-label="Clear the search" onClick={() => type("", 0)} />}
      value={typed}
      onChange={(event) => type(event.currentTarget.value, TYPING_MS)}
    />
  );
}
