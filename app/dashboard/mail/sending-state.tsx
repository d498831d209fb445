// Whether a mailbox has room for mail and can send: its storage, today's cap and its use, what makes the cap grow, and a pause with its cause.
"use client";
import { Alert, Anchor, Badge, Button, Progress, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { IconPlayerPause } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import { IconAlertTriangle } from "../../design/shell-icons.tsx";
import { Problem } from "../parts/problem.tsx";
import { Time } from "../parts/time.tsx";
import { succeeded } from "../parts/toast.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./mail.module.css";
import { SendingSkeleton } from "./sending-skeleton.tsx";
import { tightestCap } from "./tightest-cap.ts";

type Limit = Outputs["messages"]["sendLimit"];

/** Bounces arrive at any time. */
const LOOK_AGAIN_MS = 30_000;
const NEARLY = 0.8;

type Storage = Outputs["inboxes"]["summaries"]["data"][number]["storage"];

export default function SendingState({ inbox, storage }: { inbox: string; storage: Storage }) {
  const trpc = useTRPC();
  const limit = useQuery(trpc.messages.sendLimit.queryOptions({ addr: inbox }, { refetchInterval: LOOK_AGAIN_MS }));
  if (limit.isLoadingError) {
    return (
      <Problem
        error={limit.error}
        what="The send cap could not be loaded"
        retry={() => void limit.refetch()}
        busy={limit.isFetching}
      />
    );
  }
  if (!limit.data) return <SendingSkeleton />;
  return (
    <>
      {storage && <LittleRoom storage={storage} />}
      {limit.data.paused?.cause === "bounces" && <Paused inbox={inbox} paused={limit.data.paused} />}
      <Usage limit={limit.data} />
    </>
  );
}

/** The quota may be that of the organization. Deleted mail makes room: it is erased when new mail needs it. */
function LittleRoom({ storage }: { storage: NonNullable<Storage> }) {
  const isFull = storage === "full";
  return (
    <Alert
      color={isFull ? "red" : "yellow"}
      icon={<IconAlertTriangle aria-hidden />}
      title={isFull ? "This inbox is full" : "This inbox is nearly full"}
      mb="md"
    >
      <Text size="sm">
        {isFull
          ? "New mail to it is refused, and it sends none, because the storage quota is used up. "
          : "When the storage quota is used up, new mail is refused in both directions. "}
        Delete mail and empty the trash to make room, or ask the operator for a larger quota.
      </Text>
    </Alert>
  );
}

function Paused({ inbox, paused }: { inbox: string; paused: NonNullable<Limit["paused"]> }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const resume = useMutation(
    trpc.inboxes.resumeSending.mutationOptions({
      onSuccess: () => succeeded("Sending resumed"),
      onSettled: () => queries.invalidateQueries(trpc.messages.sendLimit.pathFilter()),
    }),
  );
  return (
    <Alert color="red" icon={<IconPlayerPause aria-hidden />} title="Sending is paused" mb="md">
      <Text size="sm">
        Since <Time at={paused.since} />. {paused.reason} Sending pauses at 10% bounces or 0.5% complaints, because
        other mail servers then stop accepting mail from the domain.
      </Text>
      <Text size="sm" mt={4}>
        Find out why, and remove these addresses from your list. After you resume, counting starts again from zero.
      </Text>
      {resume.error && <Problem error={resume.error} what="Sending was not resumed" />}
      <Button
        size="xs"
        mt="sm"
        variant="default"
        loading={resume.isPending}
        onClick={() => resume.mutate({ addr: inbox })}
      >
        Resume sending
      </Button>
    </Alert>
  );
}

function Usage({ limit: given }: { limit: Limit }) {
  const { held, domain, organization, ...more } = given;
  const { whose, used, limit } = tightestCap(given);
  const [isOpen, details] = useDisclosure(false);
  const share = limit === 0 ? 1 : used / limit;
  return (
    <section className={classes.sending} aria-label="Send cap">
      <div className={classes.sendingLine}>
        <Text size="sm">
          {used.toLocaleString("en")} of {limit.toLocaleString("en")} recipients used today{whose && ` by ${whose}`}
        </Text>
        <Progress
          className={classes.sendingBar}
          size={5}
          value={share * 100}
          color={share >= 1 ? "red" : share >= NEARLY ? "yellow" : "blue"}
          aria-label="Used of today's send cap"
        />
        {held && (
          <Badge color="yellow" variant="light" size="sm">
            Cap held
          </Badge>
        )}
        <Button variant="subtle" color="gray" size="compact-xs" aria-expanded={isOpen} onClick={details.toggle}>
          {isOpen ? "Hide details" : "Details"}
        </Button>
      </div>
      {isOpen && (
        <dl className={classes.sendingFacts}>
          {whose && (
            <Fact name="This mailbox">
              {more.used.toLocaleString("en")} of {more.limit.toLocaleString("en")}
            </Fact>
          )}
          <Fact name={`All mailboxes at ${domain.name}`}>
            {domain.used.toLocaleString("en")} of {domain.limit.toLocaleString("en")}
          </Fact>
          <Fact name="All mailboxes of the organization">
            {organization.used.toLocaleString("en")} of {organization.limit.toLocaleString("en")}
          </Fact>
          <Fact name="Replies used today">
            {more.replies_used.toLocaleString("en")} of {more.replies_limit.toLocaleString("en")}
          </Fact>
          <Fact name="Resets">
            <Time at={more.resets_at} />
          </Fact>
          <Fact name="Step of the cap">{more.step}</Fact>
          <Fact name="Next step">
            <Time at={more.next_step_at} none="This is the last step" />
          </Fact>
          {held && <Fact name="Held">Bounces or complaints of yesterday or today keep the cap where it is.</Fact>}
          {more.next_step_needs && <Fact name="What the next step needs">{more.next_step_needs}</Fact>}
          <Fact name="To raise it">
            The operator sets SEND_CAP_RAMP, and for all mailboxes together SEND_CAP_RAMP_DOMAIN and
            SEND_CAP_RAMP_ORGANIZATION.{" "}
            <Anchor component={NearLink} href="/guides/deliverability#raise-the-daily-cap" inherit underline="always">
              How
            </Anchor>
          </Fact>
        </dl>
      )}
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
