// What is delivered to a webhook beside the choice of events: only mail that matches, added headers, the message.
// <DeliveredFields>: the fields. <ChangeDelivered>: the dialog that changes them. <DeliveredFacts>: what is set, in words.
"use client";
import { ActionIcon, Button, Checkbox, Fieldset, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { succeeded } from "../../parts/toast.tsx";
import { useTRPC } from "../../trpc.ts";
import type { Webhook } from "../webhook-state.tsx";

type Filter = NonNullable<Webhook["filter"]>;
/** `row` tells the rows of the form apart. */
type Header = { row: number; name: string; value: string };
/** `headers`: null keeps the stored ones, which cannot be read again. */
export type Delivered = { filter: Filter; headers: Header[] | null; isIncluded: boolean };

const HEADERS_MAX = 10;
const TEXT_FIELDS = [
  { name: "from", label: "From", example: "shop.example" },
  { name: "to", label: "To", example: "desk+shop@" },
  { name: "subject", label: "Subject contains", example: "invoice" },
  { name: "label", label: "Label", example: "orders" },
] as const;
const KINDS = [
  { value: "person", label: "From a person" },
  { value: "automatic", label: "Automatic" },
  { value: "list", label: "From a list" },
  { value: "bounce", label: "A bounce" },
  { value: "calendar", label: "An invitation" },
] satisfies { value: NonNullable<Filter["kind"]>; label: string }[];

export const NOTHING_MORE: Delivered = { filter: {}, headers: [], isIncluded: false };

/** As the calls take it: without empty fields and rows. */
export function deliveredInput({ filter, headers, isIncluded }: Delivered) {
  const filled = Object.entries(filter).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : []));
  const rows = headers?.filter(({ name, value }) => name.trim() || value.trim());
  return {
    filter: Object.fromEntries(filled) as Filter,
    ...(rows && { headers: Object.fromEntries(rows.map(({ name, value }) => [name.trim(), value.trim()])) }),
    include: isIncluded ? (["message"] as const).slice() : [],
  };
}

type FieldsProps = {
  value: Delivered;
  onChange: (value: Delivered) => void;
  /** Names of the headers that are stored. */
  stored?: string[];
};

export function DeliveredFields({ value, onChange, stored = [] }: FieldsProps) {
  const { filter } = value;
  const set = (change: Partial<Filter>) => onChange({ ...value, filter: { ...filter, ...change } });
  return (
    <Stack>
      <Fieldset legend="Only mail that matches" variant="filled">
        <Text size="sm" c="dimmed" mb="xs">
          Message events are sent only for mail that matches every filled field. Other events are not filtered.
        </Text>
        <Stack gap="sm">
          {TEXT_FIELDS.map(({ name, label, example }) => (
            <TextInput
              key={name}
              label={label}
              placeholder={example}
              autoComplete="off"
              value={filter[name] ?? ""}
              onChange={(event) => set({ [name]: event.currentTarget.value })}
            />
          ))}
          <Select
            label="Kind of mail"
            allowDeselect={false}
            data={[{ value: "", label: "Any" }, ...KINDS]}
            value={filter.kind ?? ""}
            onChange={(kind) => set({ kind: (kind || undefined) as Filter["kind"] })}
          />
        </Stack>
      </Fieldset>
      <HeaderRows value={value} onChange={onChange} stored={stored} />
      <Checkbox
        label="Include the message"
        description="Deliveries of received mail have the whole message, up to 256 KiB, so that your endpoint needs no second call."
        checked={value.isIncluded}
        onChange={(event) => onChange({ ...value, isIncluded: event.currentTarget.checked })}
      />
    </Stack>
  );
}

function HeaderRows({ value, onChange, stored }: Required<FieldsProps>) {
  const rows = value.headers ?? [];
  const setRows = (headers: Header[]) => onChange({ ...value, headers });
  const change = (row: number, part: Partial<Header>) =>
    setRows(rows.map((each) => (each.row === row ? { ...each, ...part } : each)));
  const added = () => [...rows, { row: (rows.at(-1)?.row ?? 0) + 1, name: "", value: "" }];
  return (
    <Fieldset legend="Headers" variant="filled">
      <Text size="sm" c="dimmed" mb="xs">
        {value.headers === null
          ? `Each delivery has ${stored.join(", ")}. The values cannot be read again. New headers replace all of them.`
          : "Added to each delivery, for a gateway in front of your endpoint. The values are stored encrypted and never shown again."}
      </Text>
      <Stack gap="xs">
        {rows.map(({ row, name, value: text }, at) => (
          <Group key={row} gap="xs" wrap="nowrap">
            <TextInput
              aria-label={`Name of header ${at + 1}`}
              placeholder="Authorization"
              autoComplete="off"
              flex={1}
              value={name}
              onChange={(event) => change(row, { name: event.currentTarget.value })}
            />
            <TextInput
              aria-label={`Value of header ${at + 1}`}
              placeholder="Bearer …"
              autoComplete="off"
              flex={2}
              value={text}
              onChange={(event) => change(row, { value: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove header ${at + 1}`}
              onClick={() => setRows(rows.filter((each) => each.row !== row))}
            >
              ×
            </ActionIcon>
          </Group>
        ))}
        <Group gap="xs">
          {rows.length < HEADERS_MAX && (
            <Button variant="default" size="xs" onClick={() => setRows(added())}>
              {value.headers === null ? "Replace the headers" : "Add a header"}
            </Button>
          )}
          {value.headers === null && (
            <Button variant="default" size="xs" onClick={() => setRows([])}>
              Remove the headers
            </Button>
          )}
        </Group>
      </Stack>
    </Fieldset>
  );
}

export function ChangeDelivered({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [value, setValue] = useState<Delivered>({
    filter: webhook.filter ?? {},
    headers: webhook.headers.length > 0 ? null : [],
    isIncluded: webhook.include.length > 0,
  });
  const change = useMutation(
    trpc.webhooks.update.mutationOptions({
      onSuccess: () => {
        succeeded("Deliveries changed");
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.webhooks.pathFilter()),
    }),
  );
  return (
    <FormDialog
      title="Change what is delivered"
      size="lg"
      what="The deliveries were not changed"
      acting={change}
      action="Change deliveries"
      onAct={() => change.mutate({ id: webhook.id, ...deliveredInput(value) })}
      onClose={onClose}
    >
      <DeliveredFields value={value} onChange={setValue} stored={webhook.headers} />
    </FormDialog>
  );
}

export function DeliveredFacts({ webhook: { filter, headers, include } }: { webhook: Webhook }) {
  const kind = KINDS.find(({ value }) => value === filter?.kind)?.label.toLowerCase();
  const parts = TEXT_FIELDS.flatMap(({ name, label }) =>
    filter?.[name] ? [`${label.toLowerCase()} ${filter[name]}`] : [],
  );
  const matching = [...parts, ...(kind ? [kind] : [])].join(", ");
  return (
    <>
      {matching ? `Only mail: ${matching}. ` : "All mail. "}
      {headers.length > 0 && `Headers: ${headers.join(", ")}. `}
      {include.length > 0 && "With the message."}
    </>
  );
}
