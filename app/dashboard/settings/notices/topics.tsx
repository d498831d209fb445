// <Topics>: chooses what notices are about.
// label, value (as it is saved), onChange (saves, and shows an error)
"use client";
import { Checkbox, Stack } from "@mantine/core";
import { useState } from "react";
import type { Outputs } from "../../trpc.ts";

export type Route = Outputs["notices"]["list"]["data"][number];
export type Topic = Route["topics"][number];

const TOPICS: { value: Topic; label: string }[] = [
  { value: "webhook_disabled", label: "A webhook was disabled after failures" },
  { value: "domain", label: "A domain was lost" },
  { value: "approval", label: "A message of an agent waits for approval" },
  { value: "postmaster", label: "Mail to postmaster of your domains" },
  { value: "sending", label: "Sending was paused" },
];
export const ALL_TOPICS = TOPICS.map(({ value }) => value);

type Props = { label: string; value: Topic[]; onChange: (topics: Topic[]) => Promise<unknown> };

export function Topics({ label, value, onChange }: Props) {
  const [chosen, setChosen] = useState<Topic[]>();

  function choose(names: string[]) {
    if (chosen) return;
    const topics = ALL_TOPICS.filter((topic) => names.includes(topic));
    const shownAsSaved = () => setChosen(undefined);
    setChosen(topics);
    onChange(topics).then(shownAsSaved, shownAsSaved);
  }

  return (
    <Checkbox.Group label={label} value={chosen ?? value} onChange={choose}>
      <Stack gap="xs" mt={6}>
        {TOPICS.map((topic) => (
          <Checkbox key={topic.value} {...topic} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
