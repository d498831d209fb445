// The dialog that makes an inbox the catch-all of its domain.
"use client";
import { Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../parts/form-dialog.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";

export default function CatchAll({ address, isOn, onClose }: { address: string; isOn: boolean; onClose: () => void }) {
  const [on, setOn] = useState(isOn);
  const trpc = useTRPC();
  const queries = useQueryClient();
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const save = useMutation(
    trpc.inboxes.update.mutationOptions({
      onSuccess() {
        succeeded(on ? `${address} takes mail to unknown addresses` : `${address} takes only its own mail`);
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.inboxes.pathFilter()),
    }),
  );
  return (
    <FormDialog
      title="Catch-all"
      what="The setting was not saved"
      acting={save}
      action="Save"
      onAct={() => save.mutate({ addr: address, catch_all: on })}
      onClose={onClose}
    >
      <Switch
        label={`Take mail to unknown addresses of ${domain}`}
        description="Mail to any address of this domain that never had an inbox arrives here, also mail to guessed addresses."
        checked={on}
        onChange={({ currentTarget }) => setOn(currentTarget.checked)}
      />
    </FormDialog>
  );
}
