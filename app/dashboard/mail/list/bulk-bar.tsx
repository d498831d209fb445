// What can be done with the selected threads: mark, label, delete.
"use client";
import { ActionIcon, Button, Group, Popover, Stack, TextInput, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type SubmitEvent, useState } from "react";
import { IconMail, IconMailOpened, IconTag, IconTrash } from "../../../design/icons.tsx";
import { useBulk } from "./bulk.ts";
import classes from "./list.module.css";
import type { Row } from "./thread-rows.ts";

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
