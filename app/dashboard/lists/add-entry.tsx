// The dialog to add an address or domain to a list, of the organization or of one inbox.
"use client";
import { NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { EntryForm } from "../parts/entry-form.tsx";
import { describeFailure } from "../parts/failure.ts";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";
import { LISTS, type Named, wordsOf } from "./list-words.ts";

/** `first`: the list that is chosen at first, or none. */
type Props = { first: string; onClose: () => void };

export default function AddEntry({ first, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [chosen, choose] = useState(first || "send:block");
  const [inbox, setInbox] = useState("");
  const [direction, list] = chosen.split(":") as [Named["direction"], Named["list"]];
  const named = { direction, list, ...(inbox.trim() && { inbox: inbox.trim() }) };
  const add = useMutation(
    trpc.lists.add.mutationOptions({
      onSuccess(added) {
        succeeded(`${added.entry} is on the list`);
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.lists.pathFilter()),
    }),
  );
  return (
    <EntryForm
      title="Add an entry"
      what="The entry was not added"
      field={{
        name: "entry",
        label: "Address or domain",
        description: wordsOf({ direction, list }).effect,
        placeholder: "person@example.com or example.com",
      }}
      reason="For your team, and in refused sends. Optional."
      action="Add"
      adding={add}
      onAdd={(entry, more) => add.mutate({ ...named, entry, ...more })}
      onClose={onClose}
    >
      <NativeSelect
        label="List"
        data={Object.entries(LISTS).map(([value, { name }]) => ({ value, label: name }))}
        value={chosen}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      <TextInput
        label="Inbox"
        description="Empty: every inbox without its own lists."
        placeholder="Every inbox"
        value={inbox}
        onChange={(event) => setInbox(event.currentTarget.value)}
        error={add.error ? describeFailure(add.error).issues.inbox : undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
    </EntryForm>
  );
}
