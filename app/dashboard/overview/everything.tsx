// What the overview shows once it was read. A separate script: it loads while the overview is read.
"use client";
import { Anchor, Button, Progress, Skeleton, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { NearLink } from "../../design/near-link.tsx";
import bar from "../keys/keys.module.css";
import { KEYS, keyHref } from "../keys/places.ts";
import { UsageBar } from "../keys/usage-bar.tsx";
import { later } from "../parts/later.ts";
import { Time } from "../parts/time.tsx";
import { useMe } from "../session/member.tsx";
import { useReadAfterEvents } from "../session/team-events.ts";
import { type Outputs, useTRPC } from "../trpc.ts";
import { DayCharts } from "./day-charts.tsx";
import { NeedsYou } from "./needs-you.tsx";
import { NewestMail } from "./newest-mail.tsx";
import classes from "./overview.module.css";
import { Waiting } from "./waiting.tsx";
import { WhoGetsNotices } from "./who-gets-notices.tsx";

type SendCaps = Outputs["overview"]["get"]["send_caps"];

const NEAR = 0.8;
const NEWEST_SHOWN = 5;

type Key = Outputs["overview"]["get"]["keys"][number];

/** The overview of a busy organization is slow to compute, so it is read again at most this often. */
const GATHER_MS = 5_000;

/** Only new organizations see them. */
const FirstSteps = later(
  () => import("./first-steps.tsx"),
  () => <Skeleton height={290} radius="lg" />,
);

type Overview = Outputs["overview"]["get"];

/** In this browser, by organization: "shown" from the first time on, "over" when all are done or the member hid them. */
const STORED = "first-steps.";

/** They stay until they are over, also when the organization is no longer new. */
function useFirstSteps(isNew: boolean) {
  const stored = STORED + useMe().organization.id;
  const [isShown, setShown] = useState(() => {
    const state = localStorage.getItem(stored);
    return state === "shown" || (isNew && state === null);
  });
  useEffect(() => {
    if (isShown && localStorage.getItem(stored) === null) localStorage.setItem(stored, "shown");
  }, [isShown, stored]);
  const end = () => localStorage.setItem(stored, "over");
  function hide() {
    end();
    setShown(false);
  }
  return { isShown, end, hide };
}

/** Agents that wait for mail need no webhook: after the first mail, the organization is no longer new to its other members. */
function isBeginning({ steps, days }: Overview): boolean {
  if (!steps.key || !steps.inbox) return true;
  return !steps.webhook && days.every(({ received }) => received === 0);
}

/** @param overview undefined until it was read */
export default function Everything({ overview }: { overview: Overview | undefined }) {
  const trpc = useTRPC();
  useReadAfterEvents([trpc.overview.pathFilter(), trpc.messages.search.pathFilter()], GATHER_MS);
  const newest = useQuery(trpc.messages.search.queryOptions({ limit: NEWEST_SHOWN, direction: "inbound" }));
  // Both, so that the mail does not move what is below it. If it cannot be read, the rest is shown.
  if (!overview || newest.isPending) return <Waiting />;
  return <Sections overview={overview} newest={newest.data?.data ?? []} />;
}

type SectionsProps = { overview: Overview; newest: Outputs["messages"]["search"]["data"] };

function Sections({ overview, newest }: SectionsProps) {
  const { needs, problems, days, keys, key_count, send_caps, steps } = overview;
  const { isShown: beginning, end, hide } = useFirstSteps(isBeginning(overview));
  return (
    <div className={classes.sections}>
      {needs.length > 0 && <NeedsYou needs={needs} problems={problems} />}
      {beginning && <FirstSteps overview={overview} onDone={end} onHide={hide} />}
      {!beginning && needs.length === 0 && <NeedsYou needs={needs} problems={problems} />}
      <WhoGetsNotices />
      {newest.length > 0 && <NewestMail messages={newest} />}
      {(!beginning || steps.inbox) && <DayCharts days={days} />}
      <div className={classes.pair}>
        <Quotas keys={keys} keyCount={key_count} />
        <Caps caps={send_caps} />
      </div>
      <Text size="xs" c="dimmed">
        Days are in UTC.
      </Text>
    </div>
  );
}

/** The quotas: how full each usable key is, the fullest first. */
function Quotas({ keys, keyCount }: { keys: Key[]; keyCount: number }) {
  return (
    <section className={classes.panel} aria-labelledby="quotas">
      <div className={classes.head}>
        <Title order={2} id="quotas">
          Mailbox quotas
        </Title>
        <Anchor component={NearLink} href={KEYS} size="sm" data-thumb>
          {keyCount > keys.length ? `All ${keyCount} keys` : "All keys"}
        </Anchor>
      </div>
      {keys.length === 0 ? (
        <div className={classes.none}>
          <p>No active enrollment key.</p>
          <Button component={NearLink} href={KEYS} variant="default" size="xs">
            Issue a key
          </Button>
        </div>
      ) : (
        <ul className={classes.quotas}>
          {keys.map((key) => (
            <li key={key.id}>
              <Anchor component={NearLink} href={keyHref(key.id)} fw={550} size="sm" data-thumb>
                {key.name || key.id}
              </Anchor>
              <UsageBar usage={key} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The send caps: the inboxes that are closest to today's cap. */
function Caps({ caps: { inboxes, resets_at } }: { caps: SendCaps }) {
  return (
    <section className={classes.panel} aria-labelledby="caps">
      <div className={classes.head}>
        <Title order={2} id="caps">
          Closest to today’s send cap
        </Title>
        <span className={classes.total}>
          resets <Time at={resets_at} />
        </span>
      </div>
      {inboxes.length === 0 ? (
        <p className={classes.none}>No mail was sent today. The daily send cap of an inbox grows with its age.</p>
      ) : (
        <ul className={classes.quotas}>
          {inboxes.map(({ address, sent, cap }) => (
            <li key={address}>
              <Anchor
                component={NearLink}
                href={`/dashboard/mail?${new URLSearchParams({ inbox: address })}`}
                fw={550}
                size="sm"
                data-thumb
              >
                {address}
              </Anchor>
              <div className={bar.words}>
                <span>
                  {sent.toLocaleString("en")} of {cap.toLocaleString("en")} sent
                </span>
                <span>{sent >= cap ? "cap reached" : `${(cap - sent).toLocaleString("en")} left`}</span>
              </div>
              <Progress.Root size="sm" radius="xl">
                <Progress.Section
                  value={cap > 0 ? Math.min(100, (sent / cap) * 100) : 100}
                  color={sent >= cap ? "red" : sent >= NEAR * cap ? "yellow" : "blue"}
                  aria-label={`Sent today from ${address}`}
                />
              </Progress.Root>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
