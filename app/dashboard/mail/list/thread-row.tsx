// One thread of the list: who, subject and beginning, labels, attachments, outcome, the code in it, when.
"use client";
import { type MouseEvent, memo, useEffect, useRef } from "react";
import { IconPaperclip } from "../../../design/icons.tsx";
import { CodeChip } from "../code-chip.tsx";
import { type Filters, goTo, placeHref } from "../place.ts";
import { briefTime, exactTime } from "./days.ts";
import classes from "./list.module.css";
import type { Row, useThreadRows } from "./thread-rows.ts";
import { WarningTag } from "./warning-tag.tsx";

type Preview = ReturnType<ReturnType<typeof useThreadRows>["previews"]["get"]>;

type Props = {
  row: Row;
  preview: Preview;
  inbox: string;
  filters: Filters;
  /** Of the times that are shown. */
  today: string;
  isCurrent: boolean;
  isSelected: boolean;
  /** @param toHere all rows since the last selected one */
  onSelect: (threadId: string, toHere: boolean) => void;
};

export const ThreadRow = memo(function ThreadRow(props: Props) {
  const { row, preview, inbox, filters, today, isCurrent, isSelected, onSelect } = props;
  const message = filters.q ? row.messageId : "";
  const subject = row.subject || "(no subject)";
  function open(event: MouseEvent) {
    // With a modifier key the browser opens a new tab.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    goTo({ thread: row.threadId, message });
  }

  const place = useRef<HTMLLIElement>(null);
  // Also when the thread was opened by a link or a key.
  useEffect(() => {
    if (isCurrent) place.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);

  return (
    <li
      ref={place}
      className={classes.row}
      data-unread={row.unread || undefined}
      data-current={isCurrent || undefined}
      data-selected={isSelected || undefined}
    >
      <span className={classes.check}>
        {row.spam !== "quarantined" && (
          <input
            type="checkbox"
            aria-label={`Select ${subject}`}
            checked={isSelected}
            onChange={(event) => {
              const { shiftKey } = event.nativeEvent as Event & { shiftKey?: boolean };
              onSelect(row.threadId, shiftKey === true);
            }}
          />
        )}
      </span>
      <a
        href={placeHref(inbox, row.threadId, { ...filters, message })}
        onClick={open}
        className={classes.open}
        data-code={preview?.otp ? true : undefined}
        aria-current={isCurrent ? "true" : undefined}
      >
        <span className={classes.who}>
          {row.unread && <span className={classes.dot} role="img" aria-label="Unread" />}
          <bdi className={classes.cut}>{row.who}</bdi>
          {row.messages > 1 && (
            <span className={classes.count} title={`${row.messages} messages`}>
              {row.messages}
            </span>
          )}
        </span>
        <span className={classes.line}>
          <bdi className={classes.subject}>{subject}</bdi>
          {preview?.snippet && (
            <bdi className={classes.snippet} dir="auto">
              {preview.snippet}
            </bdi>
          )}
        </span>
        <Marks row={row} />
        <time className={classes.when} dateTime={row.at} title={exactTime.format(new Date(row.at))}>
          {briefTime(row.at, new Date(today))}
        </time>
      </a>
      {preview?.otp && (
        <span className={classes.code}>
          <CodeChip code={preview.otp} isSmall />
        </span>
      )}
    </li>
  );
});

function Marks({ row: { labels, files, state, spam, warning } }: { row: Row }) {
  if (labels.length === 0 && files === 0 && !state && spam === "no" && !warning) return null;
  return (
    <span className={classes.marks}>
      {warning && <WarningTag warning={warning} />}
      {spam !== "no" && <span className={classes.tag}>Spam</span>}
      {labels.map((label) => (
        <span key={label} className={classes.tag}>
          {label}
        </span>
      ))}
      {files > 0 && (
        <IconPaperclip size={15} role="img" aria-label={files === 1 ? "1 attachment" : `${files} attachments`} />
      )}
      {state && (
        <span className={classes.state} data-color={state.color} title={state.words}>
          <state.Shape size={15} aria-hidden />
          <span className={state.color === "green" ? "visually-hidden" : undefined}>{state.words}</span>
        </span>
      )}
    </span>
  );
}
