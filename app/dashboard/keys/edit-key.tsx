// The dialog that changes an enrollment key: its name, its quota, and when it expires.
"use client";
import { NumberInput, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeFailure } from "../parts/failure.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { succeeded } from "../parts/toast.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import { Expiry, expiresAt, KEEP } from "./expiry.tsx";

const NAME_CHARS = 100;
const dayOf = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

type Props = { enrollment: Outputs["keys"]["get"]; onClose: () => void };

export default function EditKey({ enrollment, onClose }: Props) {
  const { id, used_count, prepaid, expires_at } = enrollment;
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [name, setName] = useState(enrollment.name);
  const [mailboxes, setMailboxes] = useState<number | string>(enrollment.max_mailboxes);
  const [expiry, setExpiry] = useState(KEEP);
  const update = useMutation(
    trpc.keys.update.mutationOptions({
      onSuccess(changed) {
        queries.setQueryData(trpc.keys.get.queryKey({ id }), changed);
        void queries.invalidateQueries(trpc.keys.pathFilter());
        void queries.invalidateQueries(trpc.overview.pathFilter());
        succeeded("Key changed");
        onClose();
      },
    }),
  );
  const issues = update.error ? describeFailure(update.error).issues : {};
  const used = used_count + prepaid;
  return (
    <FormDialog
      title="Edit key"
      what="The key was not changed"
      hideFailure={["name", "max_mailboxes", "expires_at"].some((field) => issues[field])}
      acting={update}
      action="Save"
      onAct={() =>
        update.mutate({
          id,
          name,
          max_mailboxes: Number(mailboxes),
          ...(expiry.choice !== KEEP.choice && { expires_at: expiresAt(expiry) ?? null }),
        })
      }
      onClose={onClose}
    >
      <TextInput
        label="Name"
        required
        maxLength={NAME_CHARS}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={issues.name}
        autoComplete="off"
        data-autofocus
      />
      <NumberInput
        label="Mailboxes"
        description={`At least ${Math.max(used, 1).toLocaleString("en")}${used > 0 ? ": as many were created or bought" : ""}. Deleting a mailbox does not free quota.`}
        required
        min={Math.max(used, 1)}
        clampBehavior="none"
        allowDecimal={false}
        thousandSeparator=","
        value={mailboxes}
        onChange={setMailboxes}
        error={issues.max_mailboxes}
      />
      <Expiry
        description="After this, no new agents can enroll. Existing agents keep working."
        value={expiry}
        onChange={setExpiry}
        error={issues.expires_at}
        kept={expires_at === null ? "As it is: never" : `As it is: ${dayOf.format(new Date(expires_at))}`}
      />
    </FormDialog>
  );
}
