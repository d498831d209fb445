// What waits for the member: one line for each kind, with its number and its action; the problems of a kind open below it.
"use client";
import { Button, Text, Title, VisuallyHidden } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { IconAlertOctagon } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import { IconAlertTriangle, IconCircleCheck } from "../../design/shell-icons.tsx";
import { domainHref } from "../domains/places.ts";
import { keyHref } from "../keys/places.ts";
import { placeHref } from "../mail/place.ts";
import { BrokenUrls } from "../parts/broken-url.tsx";
import { Time } from "../parts/time.tsx";
import { failed, succeeded } from "../parts/toast.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import { mailHref, webhookHref } from "../webhooks/places.ts";
import classes from "./overview.module.css";

type Overview = Outputs["overview"]["get"];
type Need = Overview["needs"][number];
type Problem = Overview["problems"][number];

const SEVERITIES = {
  critical: { said: "Critical:", Shape: IconAlertOctagon },
  warning: { said: "Warning:", Shape: IconAlertTriangle },
} as const;

/** Gets the focus when the button that had it is gone. */
const NEEDS_ID = "needs";

/** The service counts so far: problems, and what waits. */
const COUNTED = [50, 1_000];

/** `many` follows the number. */
const KINDS: Record<Need["kind"], { one: string; many: string; href: string; label: string }> = {
  approval: {
    one: "1 message waits for approval",
    many: "messages wait for approval",
    href: "/dashboard/approvals",
    label: "Review",
  },
  webhook: {
    one: "1 webhook fails or was disabled",
    many: "webhooks fail or were disabled",
    href: "/dashboard/webhooks",
    label: "View webhooks",
  },
  domain: {
    one: "1 domain lacks a record",
    many: "domains lack a record",
    href: "/dashboard/domains",
    label: "View domains",
  },
  pending_domain: {
    one: "1 domain is not verified yet",
    many: "domains are not verified yet",
    href: "/dashboard/domains",
    label: "View domains",
  },
  inbox: {
    one: "Sending from 1 inbox is paused",
    many: "inboxes cannot send: sending is paused",
    href: "/dashboard/inboxes",
    label: "View inboxes",
  },
  storage: {
    one: "1 storage quota is nearly used up",
    many: "storage quotas are nearly used up",
    href: "/dashboard/inboxes",
    label: "View inboxes",
  },
  key: {
    one: "1 key is used up or expires soon",
    many: "keys are used up or expire soon",
    href: "/dashboard/keys",
    label: "View keys",
  },
  message: {
    one: "Mail from 1 inbox did not reach every recipient",
    many: "inboxes have mail that did not reach every recipient",
    href: "/dashboard/inboxes",
    label: "View inboxes",
  },
};

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

export function NeedsYou({ needs, problems }: Pick<Overview, "needs" | "problems">) {
  if (needs.length === 0) {
    return (
      <section className={classes.well} aria-label="Needs you" id={NEEDS_ID} tabIndex={-1}>
        <IconCircleCheck size={20} aria-hidden />
        <Text>Nothing needs you: no message waits, no webhook fails, mail is sent, and the keys have quota left.</Text>
      </section>
    );
  }
  return (
    <section aria-labelledby={NEEDS_ID}>
      <Title order={2} id={NEEDS_ID} tabIndex={-1} mb="sm">
        Needs you
      </Title>
      <ul className={classes.problems}>
        {needs.map((need) => (
          <OneNeed key={need.kind} need={need} problems={problems.filter(({ where }) => where.kind === need.kind)} />
        ))}
      </ul>
    </section>
  );
}

function OneNeed({ need, problems }: { need: Need; problems: Problem[] }) {
  const { kind, severity, count } = need;
  const { said, Shape } = SEVERITIES[severity];
  const { one, many, href, label } = KINDS[kind];
  const [only] = count === 1 ? problems : [];
  const place = only ? placeOf(only.where) : { href, label };
  return (
    <li className={classes.problem} data-severity={severity} data-kind={kind}>
      <Shape size={20} aria-hidden />
      <div>
        <Text fw={550}>
          <VisuallyHidden>{said} </VisuallyHidden>
          {only ? (
            <BrokenUrls text={only.text} />
          ) : count === 1 ? (
            one
          ) : (
            `${count.toLocaleString("en")}${COUNTED.includes(count) ? " or more" : ""} ${many}`
          )}
        </Text>
        {only ? <Advice problem={only} /> : <Waiting need={need} />}
        {!only && problems.length > 0 && (
          <details className={classes.which}>
            <summary>Show which</summary>
            <ul>
              {problems.map((problem) => (
                <OneProblem key={`${problem.where.id} ${problem.text}`} problem={problem} />
              ))}
            </ul>
            {count > problems.length && <Text size="sm">and {count - problems.length} more</Text>}
          </details>
        )}
      </div>
      <div className={classes.acts}>
        <Button component={NearLink} href={place.href} size="xs" variant="default">
          {place.label}
        </Button>
        {only && <Dismiss problem={only} />}
      </div>
    </li>
  );
}

/** Mail that was not delivered stays so: the others are gone when they are corrected. */
function Dismiss({ problem: { where, text } }: { problem: Problem }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const dismiss = useMutation(
    trpc.messages.dismissFailures.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries(trpc.overview.pathFilter());
        succeeded("Dismissed for all members");
        requestAnimationFrame(() => document.getElementById(NEEDS_ID)?.focus());
      },
      onError: (error) => failed(error, "It was not dismissed"),
    }),
  );
  if (where.kind !== "message") return null;
  return (
    <Button
      size="xs"
      variant="subtle"
      aria-label={`Dismiss: ${text}`}
      loading={dismiss.isPending}
      onClick={() => dismiss.mutate({ id: where.id })}
    >
      Dismiss
    </Button>
  );
}

function Waiting({ need: { kind, oldest_at, expires_at } }: { need: Need }) {
  if (oldest_at === null) return null;
  return (
    <Text size="sm" c="dimmed">
      {kind === "approval" ? "The oldest was held " : "The oldest was added "}
      <Time at={oldest_at} />.
      {expires_at !== null && (
        <>
          {" "}
          The first is rejected <Time at={expires_at} /> unless a member decides.
        </>
      )}
    </Text>
  );
}

function OneProblem({ problem }: { problem: Problem }) {
  const { href, label } = placeOf(problem.where);
  return (
    <li>
      <Text size="sm" fw={550}>
        <BrokenUrls text={problem.text} />
      </Text>
      <Advice problem={problem} />
      <div className={classes.acts}>
        <Button component={NearLink} href={href} size="xs" variant="default">
          {label}
        </Button>
        <Dismiss problem={problem} />
      </div>
    </li>
  );
}

function Advice({ problem: { since, fix } }: { problem: Problem }) {
  return (
    <Text size="sm" c="dimmed">
      {since !== null && (
        <>
          It began <Time at={since} />.{" "}
        </>
      )}
      {fix}
    </Text>
  );
}
