// The dialog to add an address or domain to a list.
"use client";
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { describeFailure } from "../parts/failure.ts";
import { Problem } from "../parts/problem.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";
import { type Direction, type List, WORDS } from "./list-words.ts";

const ENTRY_CHARS = 320;
const REASON_CHARS = 200;

type Props = { named: { direction: Direction; list: List; inbox?: string }; onClose: () => void };

export function AddEntry({ named, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [entry, setEntry] = useState("");
  const [reason, setReason] = useState("");
  const add = useMutation(
    trpc.lists.add.mutationOptions({
      onSuccess(added) {
        succeeded(`${added.entry} is on the list`);
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.lists.pathFilter()),
    }),
  );
  const issues = add.error ? describeFailure(add.error).issues : {};

  function submit(event: SubmitEvent) {
    event.preventDefault();
    add.mutate({ ...named, entry: entry.trim(), ...(reason.trim() && { reason: reason.trim() }) });
  }

  const what = named.list === "block" ? "Block" : "Allow";
  const who = named.direction === "send" ? "a recipient" : "a sender";
  return (
    <Modal opened onClose={add.isPending ? () => {} : onClose} title={`${what} ${who}`}>
      <form onSubmit={submit}>
        <Stack>
          {add.error && Object.keys(issues).length === 0 && (
            <Problem error={add.error} what="The entry was not added" />
          )}
          <TextInput
            label="Address or domain"
            description={`${WORDS[named.direction][named.list].effect} ${named.inbox ? `Only for ${named.inbox}.` : "For every inbox without its own lists."}`}
            placeholder="person@example.com or example.com"
            required
            maxLength={ENTRY_CHARS}
            value={entry}
            onChange={(event) => setEntry(event.currentTarget.value)}
            error={issues.entry}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            data-autofocus
          />
          <TextInput
            label="Reason"
            description="For your team, and in refused sends. Optional."
            maxLength={REASON_CHARS}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            error={issues.reason}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} disabled={add.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending}>
              Add
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
