// <Pauses>: says on every page what is paused, by whom, when and why, what waits, and offers to resume it.
"use client";
import { Alert, Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconPlayerPause } from "../../design/icons.tsx";
import { Time } from "../parts/time.tsx";
import { useReadAfterEvents } from "../session/team-events.ts";
import { useTRPC } from "../trpc.ts";
import { type Pause, useResume } from "./resume.ts";

/** What waits changes while sending is paused. */
const LOOK_AGAIN_MS = 10_000;
const GATHER_MS = 300;

const TITLES = {
  organization: "All sending is paused",
  inbox: "The sending of an inbox is paused",
  agent_key: "The sending of an agent's key is paused",
};

export default function Pauses() {
  const trpc = useTRPC();
  const pauses = useQuery(
    trpc.organization.pauses.queryOptions(undefined, {
      refetchInterval: ({ state }) => (state.data?.data.length ? LOOK_AGAIN_MS : false),
    }),
  );
  useReadAfterEvents([trpc.organization.pauses.pathFilter()], GATHER_MS);
  return pauses.data?.data.map((pause) => <OnePause key={`${pause.id} ${pause.by_operator}`} pause={pause} />);
}

function OnePause({ pause }: { pause: Pause }) {
  const { scope, address, since, paused_by, reason, in_flight, queued, scheduled, by_operator } = pause;
  const count = (number: number) => number.toLocaleString("en");
  return (
    <Alert color="red" icon={<IconPlayerPause aria-hidden />} title={TITLES[scope]} mb="md">
      <Text size="sm">
        {paused_by} paused {scope === "organization" ? "it" : (address ?? pause.id)} <Time at={since} />.
        {reason !== null && ` Reason: ${reason}`}
      </Text>
      <Text size="sm" mt={4}>
        {count(queued)} queued and {count(scheduled)} scheduled{" "}
        {queued + scheduled === 1 ? "message waits" : "messages wait"}, {count(in_flight)} in flight. New messages are
        refused.
      </Text>
      {by_operator ? (
        <Text size="sm" mt={4}>
          Only the operator of this service can resume it.
        </Text>
      ) : (
        <Resume pause={pause} />
      )}
    </Alert>
  );
}

function Resume({ pause }: { pause: Pause }) {
  const { mayResume, resume } = useResume();
  if (!mayResume(pause)) return <Text size="sm">Only admins and owners can resume it. Ask one of them.</Text>;
  return (
    <Button size="xs" mt="sm" variant="default" loading={resume.isPending} onClick={() => resume.mutate(pause)}>
      Resume
    </Button>
  );
}
