// The field for when a key expires: never, in some days, or at the end of a day.
"use client";
import { Group, Select, TextInput } from "@mantine/core";

const DAY_MS = 86_400_000;
const ON_A_DAY = "day";
const CHOICES = [
  { value: "", label: "Never expires" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: ON_A_DAY, label: "At the end of…" },
];

export type ExpiryChoice = { choice: string; day: string };
export const NEVER: ExpiryChoice = { choice: "", day: "" };

/** `description`: what ends then. `kept`: the label of the choice that leaves the expiry as it is, which is `KEEP`. */
type Props = {
  description: string;
  value: ExpiryChoice;
  onChange: (value: ExpiryChoice) => void;
  error: string | undefined;
  kept?: string;
};
export const KEEP: ExpiryChoice = { choice: "keep", day: "" };

/** In the format of `keys.issue`; undefined: it does not expire. */
export function expiresAt({ choice, day }: ExpiryChoice): string | undefined {
  if (choice === "") return;
  if (choice !== ON_A_DAY) return new Date(Date.now() + Number(choice) * DAY_MS).toISOString();
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
}

export function Expiry({ description, value, onChange, error, kept }: Props) {
  return (
    <Group align="flex-end" grow preventGrowOverflow={false}>
      <Select
        label="Expires"
        description={description}
        data={kept === undefined ? CHOICES : [{ value: KEEP.choice, label: kept }, ...CHOICES]}
        value={value.choice}
        onChange={(choice) => onChange({ ...value, choice: choice ?? "" })}
        allowDeselect={false}
        error={value.choice === ON_A_DAY ? undefined : error}
      />
      {value.choice === ON_A_DAY && (
        <TextInput
          type="date"
          label="Day"
          required
          value={value.day}
          onChange={(event) => onChange({ ...value, day: event.currentTarget.value })}
          error={error}
        />
      )}
    </Group>
  );
}
