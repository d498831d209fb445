// The dialog to suppress an address by hand.
"use client";
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { describeFailure } from "../parts/failure.ts";
import { Problem } from "../parts/problem.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";

const ADDRESS_CHARS = 320;
const REASON_CHARS = 200;

export function AddSuppression({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [address, setAddress] = useState("");
  const [reason, setReason] = useState("");
  const add = useMutation(
    trpc.suppressions.add.mutationOptions({
      onSuccess(added) {
        succeeded(`${added.address} is suppressed`);
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.suppressions.pathFilter()),
    }),
  );
  const issues = add.error ? describeFailure(add.error).issues : {};

  function submit(event: SubmitEvent) {
    event.preventDefault();
    // A repeated call returns the entry of the first one.
    add.mutate({ address: address.trim(), ...(reason.trim() && { reason: reason.trim() }) });
  }

  return (
    <Modal opened onClose={add.isPending ? () => {} : onClose} title="Suppress an address">
      <form onSubmit={submit}>
        <Stack>
          {add.error && Object.keys(issues).length === 0 && (
            <Problem error={add.error} what="The address was not suppressed" />
          )}
          <TextInput
            label="Address"
            description="None of your inboxes can send to it until it is lifted."
            placeholder="person@example.com"
            required
            maxLength={ADDRESS_CHARS}
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
            error={issues.address}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            data-autofocus
          />
          <TextInput
            label="Reason"
            description="For your team. Optional."
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
              Suppress address
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
