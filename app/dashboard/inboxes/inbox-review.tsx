// The dialog that says which messages of one inbox wait for approval.
"use client";
import { Button, Group, Modal, Radio, Stack } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { Problem } from "../parts/problem.tsx";
import { succeeded } from "../parts/toast.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";

type Policy = Outputs["reviews"]["policy"];
type Review = Policy["organization"];

const WORDS: Record<Review, string> = { none: "None", first_contact: "Those to new addresses", all: "All" };
const INHERITED = "inherited";

export default function InboxReview({ address, onClose }: { address: string; onClose: () => void }) {
  const trpc = useTRPC();
  const policy = useQuery(trpc.reviews.policy.queryOptions({ inbox: address }));
  return (
    <Modal opened onClose={onClose} title="Which messages wait for approval?">
      {policy.data && <Form address={address} policy={policy.data} onClose={onClose} />}
      {policy.error && <Problem error={policy.error} what="The setting could not be loaded" />}
    </Modal>
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
      onSettled: () => queries.invalidateQueries(trpc.reviews.pathFilter()),
    }),
  );
  const reviews = Object.keys(WORDS) as Review[];

  function submit(event: SubmitEvent) {
    event.preventDefault();
    save.mutate({ inbox: address, review: reviews.find((each) => each === chosen) ?? null });
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        {save.error && <Problem error={save.error} what="The setting was not saved" />}
        <Radio.Group label={`Messages that agents send from ${address}`} value={chosen} onChange={setChosen}>
          <Stack gap="xs" mt="xs">
            <Radio value={INHERITED} label={`As the organization: ${WORDS[policy.organization].toLowerCase()}`} />
            {reviews.map((each) => (
              <Radio key={each} value={each} label={WORDS[each]} />
            ))}
          </Stack>
        </Radio.Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
