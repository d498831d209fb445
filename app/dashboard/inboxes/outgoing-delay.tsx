// The dialog that says how long what an inbox sends waits before it leaves.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DelayInput } from "../parts/delay-input.tsx";
import { describeFailure } from "../parts/failure.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";

type Props = { address: string; seconds: number; onClose: () => void };

export default function OutgoingDelay({ address, seconds, onClose }: Props) {
  const [delay, setDelay] = useState<number | string>(seconds);
  const trpc = useTRPC();
  const queries = useQueryClient();
  const save = useMutation(
    trpc.inboxes.update.mutationOptions({
      onSuccess() {
        succeeded(
          Number(delay) > 0
            ? `Mail of ${address} leaves ${Number(delay)} s later`
            : `Mail of ${address} leaves immediately`,
        );
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.inboxes.pathFilter()),
    }),
  );
  const error = save.error ? describeFailure(save.error).issues.outgoing_delay_seconds : undefined;
  return (
    <FormDialog
      title="Outgoing delay"
      what="The delay was not changed"
      hideFailure={error !== undefined}
      acting={save}
      action="Save"
      onAct={() => save.mutate({ addr: address, outgoing_delay_seconds: Number(delay) })}
      onClose={onClose}
    >
      <DelayInput
        description={`What ${address} sends stays in the outbox so long, where it can be cancelled. If the key that sends has a delay too, the longer one counts.`}
        value={delay}
        onChange={setDelay}
        error={error}
      />
    </FormDialog>
  );
}
