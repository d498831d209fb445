// The dialog that changes the display name of an inbox.
"use client";
import { TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeFailure } from "../parts/failure.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";

const NAME_CHARS = 100;

type Props = { address: string; displayName: string; onClose: () => void };

export default function RenameInbox({ address, displayName, onClose }: Props) {
  const [name, setName] = useState(displayName);
  const trpc = useTRPC();
  const queries = useQueryClient();
  const save = useMutation(
    trpc.inboxes.update.mutationOptions({
      onSuccess() {
        succeeded(`${address} has a new name`);
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.inboxes.pathFilter()),
    }),
  );
  const error = save.error ? describeFailure(save.error).issues.display_name : undefined;
  return (
    <FormDialog
      title="Rename this inbox"
      what="The name was not changed"
      hideFailure={error !== undefined}
      acting={save}
      action="Save"
      onAct={() => save.mutate({ addr: address, display_name: name.trim() })}
      onClose={onClose}
    >
      <TextInput
        label="Display name"
        description={`Shown next to the address on mail that ${address} sends. The address stays.`}
        maxLength={NAME_CHARS}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={error}
        autoComplete="off"
      />
    </FormDialog>
  );
}
