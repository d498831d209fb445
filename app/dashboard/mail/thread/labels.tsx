// The labels of a message: shown, and changed in a small panel.
"use client";
import { Button, Popover, TagsInput } from "@mantine/core";
import { IconTag } from "../../../design/icons.tsx";

const LABELS_MAX = 50;

export function LabelEditor({ labels, onChange }: { labels: string[]; onChange: (labels: string[]) => void }) {
  return (
    <Popover width={300} position="bottom-end" shadow="md" trapFocus>
      <Popover.Target>
        <Button size="compact-sm" variant="subtle" color="gray" leftSection={<IconTag size={15} aria-hidden />}>
          Labels
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <TagsInput
          label="Labels"
          description="Type a label, then press Enter."
          value={labels}
          onChange={onChange}
          maxTags={LABELS_MAX}
          comboboxProps={{ withinPortal: false }}
          clearButtonProps={{ "aria-label": "Remove all labels" }}
          data-autofocus
        />
      </Popover.Dropdown>
    </Popover>
  );
}
