// The list of threads, with search, unread and label filters.
"use client";
import { Button, CloseButton, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type MouseEvent, useState } from "react";
import { IconMailOpened, IconPaperclip, IconSearch } from "../../../design/icons.tsx";
import { LoadMore } from "../../parts/load-more.tsx";
import { Problem } from "../../parts/problem.tsx";
import { TableSkeleton } from "../../parts/table-skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import classes from "../mail.module.css";
import { goTo, placeHref } from "../place.ts";
import { type Row, useThreadRows } from "./thread-rows.ts";

const TYPING_MS = 300;
const EVERYTHING = { q: "", unread: false, label: "" };

type Props = {
  inbox: string;
  current: string;
  /** Threads that are about to be deleted. */
  hidden: ReadonlySet<string>;
};

export function ThreadList({ inbox, current, hidden }: Props) {
  const [typed, setTyped] = useState("");
  const [unread, setUnread] = useState(false);
  const [label, setLabel] = useState("");
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS);
  const { list, rows, filtered } = useThreadRows(inbox, { ...EVERYTHING, q, unread, label });
  const shown = rows.filter(({ threadId }) => !hidden.has(threadId));
  const labels = [...new Set([...rows.flatMap((row) => row.labels), ...(label ? [label] : [])])].sort();
  const isEmpty = list.data !== undefined && shown.length === 0 && !list.hasNextPage;

  function clear() {
    setTyped("");
    setUnread(false);
    setLabel("");
  }

  return (
    <section className={classes.list} aria-label="Threads">
      <div className={classes.filters}>
        <TextInput
          type="search"
          aria-label="Search this inbox"
          placeholder="Search mail"
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={typed && <CloseButton size="sm" aria-label="Clear the search" onClick={() => setTyped("")} />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <div className={classes.narrowing}>
          <SegmentedControl
            size="xs"
            aria-label="Which mail"
            data={[
              { value: "all", label: "All" },
              { value: "unread", label: "Unread" },
            ]}
            value={unread ? "unread" : "all"}
            onChange={(value) => setUnread(value === "unread")}
          />
          {labels.length > 0 && (
            <Select
              size="xs"
              className={classes.labelFilter}
              aria-label="Only with the label"
              placeholder="Any label"
              data={labels}
              value={label || null}
              onChange={(value) => setLabel(value ?? "")}
              clearable
            />
          )}
        </div>
      </div>
      {list.isPending && <TableSkeleton label="Loading mail" columns={2} />}
      {list.isError && !list.data && (
        <Problem error={list.error} what="The mail could not be loaded" retry={() => void list.refetch()} />
      )}
      {isEmpty && (
        <div className={classes.nothing}>
          <IconMailOpened size={26} stroke={1.5} aria-hidden />
          <p>No mail{q ? ` matches “${q}”` : unread ? ": everything is read" : ""}.</p>
          {filtered && (
            <Button size="xs" variant="default" onClick={clear}>
              Show all mail
            </Button>
          )}
        </div>
      )}
      {shown.length > 0 && (
        <ul className={classes.rows}>
          {shown.map((row) => (
            <li key={row.threadId}>
              <ThreadLink row={row} inbox={inbox} isCurrent={row.threadId === current} />
            </li>
          ))}
        </ul>
      )}
      <LoadMore list={list} what="mail" />
    </section>
  );
}

function ThreadLink({ row, inbox, isCurrent }: { row: Row; inbox: string; isCurrent: boolean }) {
  function open(event: MouseEvent) {
    // With a modifier key the browser opens a new tab.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    goTo(inbox, row.threadId);
  }

  return (
    <a
      href={placeHref(inbox, row.threadId)}
      onClick={open}
      className={classes.row}
      data-unread={row.unread || undefined}
      aria-current={isCurrent ? "true" : undefined}
    >
      <span className={classes.who}>
        {row.unread && <span className={classes.dot} role="img" aria-label="Unread" />}
        <span className={classes.cut}>{row.who}</span>
        {row.messages > 1 && (
          <span className={classes.count} title={`${row.messages} messages`}>
            {row.messages}
          </span>
        )}
      </span>
      <span className={classes.when}>
        {row.files > 0 && <IconPaperclip size={14} role="img" aria-label="With attachments" />}
        <Time at={row.at} plain />
      </span>
      <span className={classes.subject}>{row.subject || "(no subject)"}</span>
      {(row.problem || row.labels.length > 0) && (
        <span className={classes.tags}>
          {row.problem && <span className={classes.failed}>{row.problem}</span>}
          {row.labels.map((each) => (
            <span key={each} className={classes.tag}>
              {each}
            </span>
          ))}
        </span>
      )}
    </a>
  );
}
