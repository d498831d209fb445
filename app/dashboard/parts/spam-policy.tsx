// What becomes of spam: of one inbox, or of the organization. A choice is saved immediately.
"use client";
import { Radio, Skeleton, Stack } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "../trpc.ts";
import { ForAdmins } from "./for-admins.tsx";
import { Problem } from "./problem.tsx";
import { succeeded } from "./toast.tsx";
import { Unloaded } from "./unloaded.tsx";

/** So that what is below it does not move. */
const HEIGHT = 150;
const INHERITED = "inherited";
const CHOICES = [
  { value: "mark", label: "Mark it", description: "It is delivered like other mail, with its verdict." },
  {
    value: "quarantine",
    label: "Keep it in quarantine",
    description:
      "It is left out of lists, waits and webhooks. Members see it under Quarantine. All mail waits for its verdict.",
  },
] as const;

export default function SpamPolicy({ inbox, mayChange }: { inbox?: string; mayChange: boolean }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const policy = useQuery(trpc.messages.spamPolicy.queryOptions({ inbox }));
  const save = useMutation(
    trpc.messages.setSpamPolicy.mutationOptions({
      onSuccess: () => succeeded("Saved"),
      onSettled: () => queries.invalidateQueries(trpc.messages.spamPolicy.pathFilter()),
    }),
  );
  if (!policy.data) {
    return <Unloaded query={policy} what="spam setting" skeleton={<Skeleton height={HEIGHT} radius="md" />} />;
  }
  const { own, organization } = policy.data;
  const kept = inbox === undefined ? organization : own;
  const inherited = CHOICES.find(({ value }) => value === organization)?.label.toLowerCase();
  return (
    <Stack>
      {!mayChange && <ForAdmins />}
      {save.error && <Problem error={save.error} what="The setting was not saved" />}
      <Radio.Group
        label={inbox === undefined ? "Mail that is spam" : `Spam that arrives at ${inbox}`}
        description={inbox === undefined && "An inbox can have its own setting, under Inboxes."}
        value={(save.isPending ? save.variables.policy : kept) ?? INHERITED}
        onChange={(value) =>
          save.mutate({ inbox, policy: CHOICES.find((each) => each.value === value)?.value ?? null })
        }
      >
        <Stack gap="xs" mt="xs">
          {inbox !== undefined && (
            <Radio value={INHERITED} label={`As the organization: ${inherited}`} disabled={!mayChange} />
          )}
          {CHOICES.map((choice) => (
            <Radio key={choice.value} {...choice} disabled={!mayChange} />
          ))}
        </Stack>
      </Radio.Group>
    </Stack>
  );
}
