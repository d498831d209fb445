// The dialog that says which messages of one inbox wait for approval.
"use client";
import { Radio, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { DialogForm } from "../parts/form-dialog.tsx";
import { succeeded } from "../parts/toast.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";

type Policy = Outputs["reviews"]["policy"];
type Review = Policy["organization"];

const WORDS: Record<Review, string> = { none: "None", first_contact: "Those to new addresses", all: "All" };
const INHERITED = "inherited";

export default function InboxReview({ address, onClose }: { address: string; onClose: () => void }) {
  const trpc = useTRPC();
  const policy = useQuery(trpc.reviews.policy.queryOptions({ inbox: address }));
  return (
    <Dialog onClose={onClose} title="Which messages wait for approval?">
      <Unloaded query={policy} what="setting" skeleton={<Text role="status">Loading the setting…</Text>} />
      {policy.data && <Form address={address} policy={policy.data} onClose={onClose} />}
    </Dialog>
  );
}

function Form({ address, policy, onClose }: { address: string; policy: Policy; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<string>(policy.own ?? INHERITED);
  const save = useMutation(
    trpc.reviews.setPolicy.mutationOptions({
      onSuccess() {
        succeeded("Saved");
        onClose();
      },
      onSettled() {
        void queries.invalidateQueries(trpc.reviews.pathFilter());
        void queries.invalidateQueries(trpc.inboxes.pathFilter());
      },
    }),
  );
  const reviews = Object.keys(WORDS) as Review[];

  return (
    <DialogForm
      what="The setting was not saved"
      acting={save}
      action="Save"
      onAct={() => save.mutate({ inbox: address, review: reviews.find((each) => each === chosen) ?? null })}
      onClose={onClose}
    >
      <Radio.Group label={`Messages that agents send from ${address}`} value={chosen} onChange={setChosen}>
        <Stack gap="xs" mt="xs">
          <Radio value={INHERITED} label={`As the organization: ${WORDS[policy.organization].toLowerCase()}`} />
          {reviews.map((each) => (
            <Radio key={each} value={each} label={WORDS[each]} />
          ))}
        </Stack>
      </Radio.Group>
    </DialogForm>
  );
}
