// Before sending: how much of today's send cap is left, and whether mail leaves this service at all.
"use client";
import { Progress, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Time } from "../../parts/time.tsx";
import { useTRPC } from "../../trpc.ts";
import classes from "../mail.module.css";
import { tightestCap } from "../tightest-cap.ts";

const NEARLY = 0.8;

export function SendLimit({ inbox }: { inbox: string }) {
  const trpc = useTRPC();
  const notices = useQuery(trpc.notices.list.queryOptions(undefined, { staleTime: Number.POSITIVE_INFINITY }));
  const { data } = useQuery(trpc.messages.sendLimit.queryOptions({ addr: inbox }));
  if (!data) return <Text size="xs">Loading today's send cap…</Text>;
  const { resets_at, next_step_at } = data;
  const { whose, used, limit, remaining } = tightestCap(data);
  const share = limit === 0 ? 1 : used / limit;
  return (
    <div className={classes.cap}>
      <Progress
        size={5}
        value={share * 100}
        color={share >= 1 ? "red" : share >= NEARLY ? "yellow" : "blue"}
        aria-label="Used of today's send cap"
      />
      <Text size="xs" c="dimmed">
        {used.toLocaleString("en")} of {limit.toLocaleString("en")} recipients used today{whose && ` by ${whose}`}.
        People who provably wrote first have a separate cap.
        {remaining === 0 && (
          <>
            {" "}
            Resets <Time at={resets_at} plain />.
          </>
        )}
        {next_step_at && (
          <>
            {" "}
            The cap grows <Time at={next_step_at} plain />.
          </>
        )}
      </Text>
      {notices.data?.sends_mail === false && (
        <Text size="xs" c="dimmed">
          This service sends no mail to other services: messages to addresses elsewhere are stored here and not sent.
        </Text>
      )}
    </div>
  );
}
