// The dialog to suppress an address by hand.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { EntryForm } from "../parts/entry-form.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";

export default function AddSuppression({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  // A repeated call returns the entry of the first one.
  const add = useMutation(
    trpc.suppressions.add.mutationOptions({
      onSuccess(added) {
        succeeded(`${added.address} is suppressed`);
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.suppressions.pathFilter()),
    }),
  );
  return (
    <EntryForm
      title="Suppress an address"
      what="The address was not suppressed"
      field={{
        name: "address",
        label: "Address",
        description: "None of your inboxes can send to it until it is lifted.",
        placeholder: "person@example.com",
      }}
      reason="For your team. Optional."
      action="Suppress address"
      adding={add}
      onAdd={(address, more) => add.mutate({ address, ...more })}
      onClose={onClose}
    />
  );
}
