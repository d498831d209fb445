// The price of a mailbox, and the network.
"use client";
import { Text } from "@mantine/core";
import type { Organization } from "../settings/with-organization.tsx";
import { networkOf, showUsdc } from "./amount.ts";
import classes from "./payments.module.css";

export function Price({ service }: { service: Organization["service"] }) {
  const { network, price_per_mailbox } = service.payments;
  const { name, isTest } = networkOf(network);
  return (
    <section className={classes.price} aria-label="The price">
      <div>
        <Text size="sm" c="dimmed">
          One mailbox
        </Text>
        <p className={classes.figure}>{showUsdc(price_per_mailbox)}</p>
      </div>
      <div>
        <Text size="sm" c="dimmed">
          Network
        </Text>
        <p className={classes.figure}>{name}</p>
        <Text size="sm" c="dimmed">
          {network}
          {isTest && " · test money, worth nothing"}
        </Text>
      </div>
    </section>
  );
}
