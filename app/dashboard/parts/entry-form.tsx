// <EntryForm>: the dialog that adds one entry with an optional reason: an address to a list, a suppression.
// title, what ("The entry was not added"), field ({ name, label, description, placeholder }), reason (its description), action
// ("Add"), adding (the mutation's error and isPending), onAdd (trimmed texts), onClose
"use client";
import { TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { describeFailure } from "./failure.ts";
import { FormDialog } from "./form-dialog.tsx";

const ENTRY_CHARS = 320;
const REASON_CHARS = 200;

type Props = {
  title: string;
  what: string;
  /** `name`: of the input of the call, whose problems are shown at the field. */
  field: { name: string; label: string; description: string; placeholder: string };
  reason: string;
  action: string;
  adding: { error: unknown; isPending: boolean };
  onAdd: (entry: string, more: { reason?: string }) => void;
  onClose: () => void;
  /** More fields. */
  children?: ReactNode;
};

export function EntryForm({ title, what, field, reason: hint, action, adding, onAdd, onClose, children }: Props) {
  const [entry, setEntry] = useState("");
  const [reason, setReason] = useState("");
  const issues = adding.error ? describeFailure(adding.error).issues : {};

  return (
    <FormDialog
      title={title}
      what={what}
      hideFailure={Object.keys(issues).length > 0}
      acting={adding}
      action={action}
      onAct={() => onAdd(entry.trim(), reason.trim() ? { reason: reason.trim() } : {})}
      onClose={onClose}
    >
      <TextInput
        label={field.label}
        description={field.description}
        placeholder={field.placeholder}
        required
        maxLength={ENTRY_CHARS}
        value={entry}
        onChange={(event) => setEntry(event.currentTarget.value)}
        error={issues[field.name]}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-autofocus
      />
      {children}
      <TextInput
        label="Reason"
        description={hint}
        maxLength={REASON_CHARS}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={issues.reason}
      />
    </FormDialog>
  );
}
