// The buttons that approve or reject exactly the content that is shown.
"use client";
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import shared from "../../design/shared.module.css";
import { Problem } from "../parts/problem.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";
import type { Review } from "./review.ts";

const REASON_CHARS = 500;

export function Decide({ review: { id, sha256 } }: { review: Review }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const onSettled = () => queries.invalidateQueries(trpc.reviews.pathFilter());
  const approve = useMutation(
    trpc.reviews.approve.mutationOptions({ onSuccess: () => succeeded("Approved. It is sent now"), onSettled }),
  );
  const reject = useMutation(
    trpc.reviews.reject.mutationOptions({ onSuccess: () => succeeded("Rejected"), onSettled }),
  );
  const error = approve.error ?? reject.error;
  const isBusy = approve.isPending || reject.isPending;
  return (
    <section aria-label="Decision" className={shared.panel}>
      <Stack>
        {error && <Problem error={error} what="The decision was not taken" />}
        <TextInput
          label="Reason"
          description="The agent reads it if you reject the message. Optional."
          maxLength={REASON_CHARS}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group>
          <Button loading={approve.isPending} disabled={isBusy} onClick={() => approve.mutate({ id, sha256 })}>
            Approve and send
          </Button>
          <Button
            variant="default"
            loading={reject.isPending}
            disabled={isBusy}
            onClick={() => reject.mutate({ id, sha256, ...(reason.trim() && { reason: reason.trim() }) })}
          >
            Reject
          </Button>
        </Group>
      </Stack>
    </section>
  );
}
