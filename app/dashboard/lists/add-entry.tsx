// The dialog to add an address or domain to a list.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { EntryForm } from "../parts/entry-form.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";
import { type Direction, type List, WORDS } from "./list-words.ts";

type Props = { named: { direction: Direction; list: List; inbox?: string }; onClose: () => void };

export default function AddEntry({ named, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const add = useMutation(
    trpc.lists.add.mutationOptions({
      onSuccess(added) {
        succeeded(`${added.entry} is on the list`);
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.lists.pathFilter()),
    }),
  );
  const verb = named.list === "block" ? "Block" : "Allow";
  const who = named.direction === "send" ? "a recipient" : "a sender";
  return (
    <EntryForm
      title={`${verb} ${who}`}
      what="The entry was not added"
      field={{
        name: "entry",
        label: "Address or domain",
        description: `${WORDS[named.direction][named.list].effect} ${named.inbox ? `Only for ${named.inbox}.` : "For every inbox without its own lists."}`,
        placeholder: "person@example.com or example.com",
      }}
      reason="For your team, and in refused sends. Optional."
      action="Add"
      adding={add}
      onAdd={(entry, more) => add.mutate({ ...named, entry, ...more })}
      onClose={onClose}
    />
  );
}
