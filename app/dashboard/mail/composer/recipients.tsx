// The recipients of a message as chips, with suggestions from the mail of the mailbox.
"use client";
import { Button, Checkbox, TagsInput, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { type Draft, recipientsOf } from "./draft.ts";
import type { Writing } from "./kinds.ts";

/** Suggestions come from so many of the newest messages. */
const LOOKED_AT = 100;
const FRESH_MS = 300_000;
const SHOWN = 8;
const SEPARATOR = /[,;]\s*$/;

/** `Ann <ann@far.example>`, as people of the mailbox's mail are written. */
export function usePeople(inbox: string): string[] {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.messages.list.queryOptions({ addr: inbox, limit: LOOKED_AT }, { staleTime: FRESH_MS }),
  );
  const people = new Map<string, string>();
  for (const { direction, from, from_name, to } of data?.data ?? []) {
    if (direction === "inbound")
      people.set(from, from_name && !/[",<>]/.test(from_name) ? `${from_name} <${from}>` : from);
    else for (const address of to) if (!people.has(address)) people.set(address, address);
  }
  people.delete(inbox);
  return [...people.values()];
}

type Props = {
  label: string;
  value: string[];
  people: string[];
  placeholder?: string | undefined;
  error: string | undefined;
  isFirst?: boolean;
  isRequired?: boolean;
  readOnly?: boolean;
  onChange: (value: string[]) => void;
};

export function RecipientInput({
  label,
  value,
  people,
  placeholder,
  error,
  isFirst = false,
  isRequired = false,
  readOnly = false,
  onChange,
}: Props) {
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  // Before something is typed, the list would cover the form.
  const suggested = typed === "" ? [] : people.filter((each) => !value.includes(each));
  function add(text: string) {
    setTyped("");
    const added = recipientsOf(text).filter((each) => !value.includes(each));
    if (added.length > 0) onChange([...value, ...added]);
  }
  function type(text: string) {
    const isInQuotes = (text.match(/"/g)?.length ?? 0) % 2 === 1;
    if (SEPARATOR.test(text) && !isInQuotes) add(text);
    else setTyped(text);
  }
  return (
    <TagsInput
      label={label}
      placeholder={value.length === 0 ? placeholder : undefined}
      value={value}
      onChange={(next) => onChange(next.flatMap(recipientsOf))}
      searchValue={typed}
      onSearchChange={type}
      onBlur={() => add(typed)}
      acceptValueOnBlur={false}
      splitChars={[]}
      data={suggested}
      // An open list without an entry would take the first Escape.
      dropdownOpened={isOpen && suggested.length > 0}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      limit={SHOWN}
      error={error}
      readOnly={readOnly}
      maxDropdownHeight={240}
      withAsterisk={isRequired}
      {...(isFirst && { "data-autofocus": true })}
    />
  );
}

type ReplyProps = {
  writing: Extract<Writing, { kind: "reply" }>;
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  /** The member chooses other recipients. */
  onChoose: () => void;
};

export function ReplyHead({ writing, draft, change, onChoose }: ReplyProps) {
  return (
    <>
      <Text size="sm">
        <Text span c="dimmed" size="sm">
          To{" "}
        </Text>
        {writing.to.join(", ")}
        {draft.all && writing.others.length > 0 && (
          <>
            <Text span c="dimmed" size="sm">
              {" "}
              and in copy{" "}
            </Text>
            {writing.others.join(", ")}
          </>
        )}{" "}
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onChoose}>
          Change recipients
        </Button>
      </Text>
      {writing.others.length > 0 && (
        <Checkbox
          label="Reply to all"
          checked={draft.all}
          onChange={(event) => change({ all: event.currentTarget.checked })}
        />
      )}
    </>
  );
}
