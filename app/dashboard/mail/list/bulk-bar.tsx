// What can be done with the selected threads: mark, label, delete.
"use client";
import { ActionIcon, Button, Group, Popover, Stack, TextInput, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { IconMail, IconMailOpened, IconTag } from "../../../design/icons.tsx";
import { IconTrash } from "../../../design/shell-icons.tsx";
import { failed, succeeded } from "../../parts/toast.tsx";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import classes from "./list.module.css";
import type { Row } from "./thread-rows.ts";

type Marks = { ids: string[]; read?: boolean; add_label?: string; remove_label?: string };

const threads = (count: number) => (count === 1 ? "1 thread" : `${count} threads`);
const idsOf = (rows: Row[]) => rows.map(({ threadId }) => threadId);

const LABEL_CHARS = 100;

type Props = { selected: Row[]; known: string[]; onDelete: () => void; onDone: () => void };

export default function BulkBar({ selected, known, onDelete, onDone }: Props) {
  const { isBusy, markRead, addLabel, removeLabel } = useBulk();
  const hasUnread = selected.some(({ unread }) => unread);
  const Mark = hasUnread ? IconMailOpened : IconMail;
  const read = hasUnread ? "Mark as read" : "Mark as unread";
  function label(change: typeof addLabel, name: string) {
    change(selected, name);
    onDone();
  }
  return (
    <div className={classes.bulk} role="toolbar" aria-label="Selected threads">
      <span className={classes.selected} aria-live="polite">
        {selected.length} selected
      </span>
      <Tooltip label={read}>
        <ActionIcon
          size="lg"
          variant="subtle"
          color="gray"
          aria-label={read}
          disabled={isBusy}
          onClick={() => {
            markRead(selected, hasUnread);
            onDone();
          }}
        >
          <Mark size={19} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <LabelMenu
        selected={selected}
        known={known}
        onAdd={(name) => label(addLabel, name)}
        onRemove={(name) => label(removeLabel, name)}
      />
      <Tooltip label="Delete">
        <ActionIcon size="lg" variant="subtle" color="gray" aria-label="Delete the selected threads" onClick={onDelete}>
          <IconTrash size={19} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Button size="compact-sm" variant="subtle" color="gray" onClick={onDone}>
        Clear
      </Button>
    </div>
  );
}

type LabelProps = { selected: Row[]; known: string[]; onAdd: (name: string) => void; onRemove: (name: string) => void };

function LabelMenu({ selected, known, onAdd, onRemove }: LabelProps) {
  const [isOpen, menu] = useDisclosure(false);
  const [name, setName] = useState("");
  const present = [...new Set(selected.flatMap(({ labels }) => labels))].sort();
  const others = known.filter((label) => !selected.every(({ labels }) => labels.includes(label)));
  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (name.trim() === "") return;
    menu.close();
    onAdd(name.trim());
  }
  return (
    <Popover opened={isOpen} onChange={menu.set} width={280} shadow="md" trapFocus>
      <Popover.Target>
        <ActionIcon
          size="lg"
          variant="subtle"
          color="gray"
          aria-label="Label the selected threads"
          onClick={menu.toggle}
        >
          <IconTag size={19} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <form onSubmit={submit}>
            <Group gap="xs" wrap="nowrap" align="flex-end">
              <TextInput
                label="Add a label"
                flex={1}
                miw={0}
                value={name}
                maxLength={LABEL_CHARS}
                onChange={(event) => setName(event.currentTarget.value)}
                data-autofocus
              />
              <Button type="submit" variant="default" flex="none">
                Add
              </Button>
            </Group>
          </form>
          <LabelButtons title="Add" labels={others} onChoose={onAdd} />
          <LabelButtons title="Remove" labels={present} onChoose={onRemove} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function LabelButtons({
  title,
  labels,
  onChoose,
}: {
  title: string;
  labels: string[];
  onChoose: (name: string) => void;
}) {
  if (labels.length === 0) return null;
  return (
    <Group gap={6}>
      {labels.map((label) => (
        <Button key={label} size="compact-xs" variant="light" onClick={() => onChoose(label)}>
          {title} “{label}”
        </Button>
      ))}
    </Group>
  );
}

/** Changes several threads with one call, and undoes it. */
function useBulk() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const changed = [trpc.threads.pathFilter(), trpc.messages.list.pathFilter(), trpc.inboxes.summaries.pathFilter()];
  const change = async (marks: Marks) => {
    await client.threads.mark.mutate(marks);
    await Promise.all(changed.map((filter) => queries.invalidateQueries(filter)));
  };
  const mark = useMutation({
    mutationFn: ({ marks }: { marks: Marks; undo: Marks; done: string }) => change(marks),
    onSuccess: (_, { undo, done }) => {
      succeeded(done, undo.ids.length > 0 ? { undo: () => change(undo) } : {});
    },
    onError: (error) => failed(error, "The threads were not changed"),
  });

  return {
    isBusy: mark.isPending,
    markRead(rows: Row[], read: boolean) {
      const those = idsOf(rows.filter(({ unread }) => unread === read));
      const done = `${threads(rows.length)} marked as ${read ? "read" : "unread"}`;
      mark.mutate({ marks: { ids: idsOf(rows), read }, undo: { ids: those, read: !read }, done });
    },
    addLabel(rows: Row[], label: string) {
      const those = idsOf(rows.filter(({ labels }) => !labels.includes(label)));
      const done = `“${label}” added to ${threads(rows.length)}`;
      mark.mutate({ marks: { ids: idsOf(rows), add_label: label }, undo: { ids: those, remove_label: label }, done });
    },
    removeLabel(rows: Row[], label: string) {
      const ids = idsOf(rows.filter(({ labels }) => labels.includes(label)));
      const done = `“${label}” removed from ${threads(ids.length)}`;
      mark.mutate({ marks: { ids, remove_label: label }, undo: { ids, add_label: label }, done });
    },
  };
}
