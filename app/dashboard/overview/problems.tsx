// The current problems, the most severe first, each with what to do and a link.
"use client";
import { Button, Text, Title, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { IconAlertOctagon } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import { IconAlertTriangle, IconCircleCheck } from "../../design/shell-icons.tsx";
import { domainHref } from "../domains/places.ts";
import { keyHref } from "../keys/places.ts";
import { placeHref } from "../mail/place.ts";
import { BrokenUrls } from "../parts/broken-url.tsx";
import { Time } from "../parts/time.tsx";
import type { Outputs } from "../trpc.ts";
import { mailHref, webhookHref } from "../webhooks/places.ts";
import classes from "./overview.module.css";

type Problem = Outputs["overview"]["get"]["problems"][number];

/** More than this are shown on request. */
const SHOWN_FIRST = 5;
const SEVERITIES = {
  critical: { said: "Critical:", Shape: IconAlertOctagon },
  warning: { said: "Warning:", Shape: IconAlertTriangle },
} as const;

function placeOf(where: Problem["where"]): { href: string; label: string } {
  if (where.kind === "key") return { href: keyHref(where.id), label: "View key" };
  if (where.kind === "webhook") return { href: webhookHref(where.id), label: "View webhook" };
  if (where.kind === "domain") return { href: domainHref(where.id), label: "View domain" };
  if (where.kind === "inbox") return { href: placeHref(where.id), label: "View inbox" };
  if (where.kind === "storage") {
    return where.id
      ? { href: placeHref(where.id), label: "View mail" }
      : { href: "/dashboard/inboxes", label: "View inboxes" };
  }
  return { href: mailHref(where.inbox, where.thread_id), label: "View message" };
}

export function Problems({ problems }: { problems: Problem[] }) {
  const [all, setAll] = useState(false);
  if (problems.length === 0) {
    return (
      <section className={classes.well} aria-label="Problems">
        <IconCircleCheck size={20} aria-hidden />
        <Text>No problems: webhooks succeed, mail is sent, and the keys have quota left.</Text>
      </section>
    );
  }
  return (
    <section aria-labelledby="problems">
      <Title order={2} id="problems" mb="sm">
        {problems.length === 1 ? "1 problem needs attention" : `${problems.length} problems need attention`}
      </Title>
      <ul className={classes.problems}>
        {(all ? problems : problems.slice(0, SHOWN_FIRST)).map((problem) => (
          <OneProblem key={`${problem.where.id} ${problem.text}`} problem={problem} />
        ))}
      </ul>
      {!all && problems.length > SHOWN_FIRST && (
        <Button variant="subtle" size="compact-sm" mt="xs" onClick={() => setAll(true)}>
          Show {problems.length - SHOWN_FIRST} more
        </Button>
      )}
    </section>
  );
}

function OneProblem({ problem: { severity, text, fix, since, where } }: { problem: Problem }) {
  const { said, Shape } = SEVERITIES[severity];
  const { href, label } = placeOf(where);
  return (
    <li className={classes.problem} data-severity={severity}>
      <Shape size={20} aria-hidden />
      <div>
        <Text fw={550}>
          <VisuallyHidden>{said} </VisuallyHidden>
          <BrokenUrls text={text} />
        </Text>
        <Text size="sm" c="dimmed">
          {since !== null && (
            <>
              Since <Time at={since} />.{" "}
            </>
          )}
          {fix}
        </Text>
      </div>
      <Button component={NearLink} href={href} size="xs" variant="default">
        {label}
      </Button>
    </li>
  );
}
