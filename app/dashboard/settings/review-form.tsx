// Which messages of agents wait for approval, for the whole organization. Only admins can change it. A choice is saved immediately,
// the hours when the field is left.
"use client";
import { NumberInput, Radio, Skeleton, Stack } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { ForAdmins } from "../parts/for-admins.tsx";
import { Problem } from "../parts/problem.tsx";
import { succeeded } from "../parts/toast.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { useMayAct } from "../session/member.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./settings.module.css";

/** Of the form, so that what is below it does not move. */
const HEIGHT = 300;
const HOUR_SECONDS = 3_600;
const HOURS_MAX = 720;
type Policy = Outputs["reviews"]["policy"];

const CHOICES: { value: Policy["organization"]; label: string; description: string }[] = [
  { value: "none", label: "None", description: "Agents send without approval." },
  {
    value: "first_contact",
    label: "To new addresses",
    description: "Messages to people who never wrote to the inbox, and for whom none was approved before.",
  },
  { value: "all", label: "All", description: "Every message of an agent waits for a member." },
];

export default function ReviewForm() {
  const trpc = useTRPC();
  const policy = useQuery(trpc.reviews.policy.queryOptions({}));
  if (policy.data) return <Form policy={policy.data} />;
  return <Unloaded query={policy} what="approval settings" skeleton={<Skeleton height={HEIGHT} radius="md" />} />;
}

function Form({ policy }: { policy: Policy }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const mayChange = useMayAct("admin");
  const [review, setReview] = useState(policy.organization);
  const [hours, setHours] = useState(policy.ttl_seconds / HOUR_SECONDS);
  const save = useMutation(
    trpc.reviews.setPolicy.mutationOptions({
      onSuccess: () => succeeded("Saved"),
      onSettled: () => queries.invalidateQueries(trpc.reviews.pathFilter()),
    }),
  );

  function saveHours() {
    const ttl_seconds = Math.round(hours * HOUR_SECONDS);
    if (ttl_seconds !== policy.ttl_seconds) save.mutate({ ttl_seconds });
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    saveHours();
  }

  return (
    <form onSubmit={submit} className={classes.form}>
      <Stack>
        {!mayChange && <ForAdmins />}
        {save.error && <Problem error={save.error} what="The settings were not saved" />}
        <Radio.Group
          label="Messages that wait for approval"
          description="An inbox can have its own setting, under Inboxes. What members send never waits."
          value={review}
          onChange={(value) => {
            const chosen = CHOICES.find((choice) => choice.value === value)?.value ?? review;
            setReview(chosen);
            save.mutate({ review: chosen }, { onError: () => setReview(policy.organization) });
          }}
        >
          <Stack gap="xs" mt="xs">
            {CHOICES.map((choice) => (
              <Radio key={choice.value} {...choice} disabled={!mayChange} />
            ))}
          </Stack>
        </Radio.Group>
        <NumberInput
          label="Hours until a message without a decision is rejected"
          min={1}
          max={HOURS_MAX}
          value={hours}
          onChange={(value) => setHours(Number(value) || 1)}
          onBlur={saveHours}
          disabled={!mayChange}
        />
      </Stack>
    </form>
  );
}
