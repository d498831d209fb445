// The list of threads by day, with search, filters, and a selection to act on.
"use client";
import { Button } from "@mantine/core";
import { useEffect, useMemo, useRef } from "react";
import { IconMailOpened } from "../../../design/icons.tsx";
import { describeFailure } from "../../parts/failure.ts";
import { later } from "../../parts/later.ts";
import { LoadMore } from "../../parts/listing.tsx";
import { Unloaded } from "../../parts/unloaded.tsx";
import type { Removed } from "../deleting.tsx";
import { type Filters, goTo, NO_FILTERS, type Place, type Show } from "../place.ts";
import { byDay } from "./days.ts";
import { useListKeys } from "./keys.ts";
import classes from "./list.module.css";
import { MailFilters } from "./mail-filters.tsx";
import { SELECTED_MAX, useSelection } from "./selection.ts";
import { ThreadRow } from "./thread-row.tsx";
import { type Row, useThreadRows } from "./thread-rows.ts";

const BulkBar = later(() => import("./bulk-bar.tsx"));

type Props = { place: Place; quarantined: number; removed: Removed };

export function ThreadList({ place, quarantined, removed }: Props) {
  const { inbox, thread, q, show, label } = place;
  const filters = useMemo(() => ({ q, show, label }), [q, show, label]);
  const { list, rows, filtered, previews } = useThreadRows(inbox, filters);
  const shown = useMemo(() => rows.filter(({ threadId }) => !removed.hidden.has(threadId)), [rows, removed.hidden]);
  const { selected, toggle, all, none } = useSelection(shown);
  useListKeys(shown, thread);
  const section = useReturn(shown, thread);
  const labels = [...new Set([...rows.flatMap((row) => row.labels), ...(label ? [label] : [])])].sort();
  const unknown = list.error ? describeFailure(list.error).issues.q : undefined;
  const isEmpty = list.data !== undefined && shown.length === 0 && !list.hasNextPage;
  const today = new Date().toDateString();
  const groups = useMemo(() => byDay(shown, new Date(today)), [shown, today]);

  function removeSelected() {
    const ids = selected.map(({ threadId }) => threadId);
    removed.remove("threads", ids);
    none();
    if (ids.includes(thread)) goTo({ thread: "" });
  }

  return (
    <section
      ref={section}
      className={classes.list}
      aria-label="Threads"
      data-selecting={selected.length > 0 || undefined}
    >
      <div className={classes.bar}>
        <span
          className={classes.check}
          title={show === "quarantine" ? "Mail in quarantine is decided one by one: open it." : undefined}
        >
          <input
            type="checkbox"
            aria-label={`Select all shown threads, at most ${SELECTED_MAX}`}
            disabled={shown.length === 0 || show === "quarantine"}
            checked={selected.length > 0 && selected.length === Math.min(shown.length, SELECTED_MAX)}
            onChange={selected.length > 0 ? none : all}
          />
        </span>
        {selected.length > 0 ? (
          <BulkBar selected={selected} known={labels} onDelete={removeSelected} onDone={none} />
        ) : (
          <MailFilters filters={filters} labels={labels} quarantined={quarantined} />
        )}
      </div>
      {unknown === undefined ? <Unloaded query={list} what="mail" columns={2} /> : <UnknownWord what={unknown} />}
      {isEmpty && <NothingFound filters={filters} isFiltered={filtered} />}
      {groups.map(({ day, rows: ofDay }) => (
        <section key={day} aria-label={day}>
          <h2 className={classes.day}>{day}</h2>
          <ul className={classes.rows}>
            {ofDay.map((row) => (
              <ThreadRow
                key={row.threadId}
                row={row}
                preview={previews.get(row.messageId)}
                inbox={inbox}
                filters={filters}
                today={today}
                isCurrent={row.threadId === thread}
                isSelected={selected.includes(row)}
                onSelect={toggle}
              />
            ))}
          </ul>
        </section>
      ))}
      <MoreMail list={list} />
    </section>
  );
}

/** When a thread is closed and what had the focus is gone, its row gets it, or the row that is in its place. */
function useReturn(rows: Row[], thread: string) {
  const list = useRef<HTMLElement>(null);
  const left = useRef({ id: "", at: 0 });
  useEffect(() => {
    const at = rows.findIndex(({ threadId }) => threadId === thread);
    if (at !== -1) left.current = { id: thread, at };
    if (thread !== "" || left.current.id === "") return;
    const { id, at: before } = left.current;
    left.current = { id: "", at: 0 };
    if (document.activeElement !== document.body) return;
    const known = rows.findIndex(({ threadId }) => threadId === id);
    const links = list.current?.querySelectorAll<HTMLElement>("li > a");
    links?.[known === -1 ? Math.min(before, links.length - 1) : known]?.focus();
  }, [rows, thread]);
  return list;
}

const NOTHING: Partial<Record<Show, string>> = {
  unread: ": everything is read",
  risky: " has a warning",
  quarantine: " is in quarantine",
};

function NothingFound({ filters: { q, show }, isFiltered }: { filters: Filters; isFiltered: boolean }) {
  return (
    <div className={classes.nothing}>
      <IconMailOpened size={26} stroke={1.5} aria-hidden />
      <p>No mail{q ? ` matches “${q}”` : (NOTHING[show] ?? "")}.</p>
      {isFiltered && (
        <Button size="xs" variant="default" onClick={() => goTo(NO_FILTERS)}>
          Show all mail
        </Button>
      )}
    </div>
  );
}

/** How the refusal of an operator begins. */
const OPERATOR = /^-?\w+: /;

/** A search with an operator, or a value of one, that does not exist, or that cannot be read otherwise. */
function UnknownWord({ what }: { what: string }) {
  return (
    <div className={classes.nothing} role="alert">
      <p>
        {OPERATOR.test(what) ? "The search has an unknown word" : "The search cannot be read"}. {what}.
      </p>
      <Button size="xs" variant="default" onClick={() => goTo(NO_FILTERS)}>
        Show all mail
      </Button>
    </div>
  );
}

/** Loads the next page when the end of the list is seen. After a page without rows the button does. */
function MoreMail({ list }: { list: ReturnType<typeof useThreadRows>["list"] }) {
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list;
  const isFull = (list.data?.pages.at(-1)?.data.length ?? 0) > 0;
  const canLoad = hasNextPage && !isFetching && !isFetchNextPageError && isFull;
  useEffect(() => {
    if (!(canLoad && end.current)) return;
    // A new observer for each page: one from before these rows would still say that the end is in view.
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) void fetchNextPage();
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [canLoad, fetchNextPage]);
  return (
    <div ref={end} className={classes.more}>
      <LoadMore list={list} what="mail" />
    </div>
  );
}
