// The send caps: the inboxes that are closest to today's cap.
"use client";
import { Anchor, Progress, Title } from "@mantine/core";
import { NearLink } from "../../design/near-link.tsx";
import bar from "../keys/keys.module.css";
import { Time } from "../parts/time.tsx";
import type { Outputs } from "../trpc.ts";
import classes from "./overview.module.css";

type SendCaps = Outputs["overview"]["get"]["send_caps"];

const NEAR = 0.8;

export function Caps({ caps: { inboxes, resets_at } }: { caps: SendCaps }) {
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
