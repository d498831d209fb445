// The quotas: how full each usable key is, the fullest first.
"use client";
import { Anchor, Button, Title } from "@mantine/core";
import { NearLink } from "../../design/near-link.tsx";
import { KEYS, keyHref } from "../keys/places.ts";
import { UsageBar } from "../keys/usage-bar.tsx";
import type { Outputs } from "../trpc.ts";
import classes from "./overview.module.css";

type Key = Outputs["overview"]["get"]["keys"][number];

export function Quotas({ keys, keyCount }: { keys: Key[]; keyCount: number }) {
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
