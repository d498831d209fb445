// The test receivers that live now, above the list of webhooks.
"use client";
import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { NearLink } from "../../../design/near-link.tsx";
import { Time } from "../../parts/time.tsx";
import { useTRPC } from "../../trpc.ts";
import { webhookHref } from "../places.ts";
import classes from "./receiver.module.css";

/** Another member may create one, and they end by themselves. */
const LOOK_AGAIN_MS = 30_000;

export function LiveReceivers() {
  const trpc = useTRPC();
  const list = useQuery(trpc.webhooks.receivers.queryOptions(undefined, { refetchInterval: LOOK_AGAIN_MS }));
  const receivers = list.data?.data ?? [];
  if (receivers.length === 0) return null;
  return (
    <ul className={classes.live} aria-label="Test receivers">
      {receivers.map(({ id, expires_at }) => (
        <li key={id}>
          <Anchor component={NearLink} href={webhookHref(id)} fw={550} data-thumb>
            Test receiver
          </Anchor>{" "}
          <Text span size="sm" c="dimmed">
            ends <Time at={expires_at} plain />
          </Text>
        </li>
      ))}
    </ul>
  );
}
