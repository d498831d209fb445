// One domain: what is missing, its DNS records with their state, and its settings.
"use client";
import { Alert, Anchor, Button, Progress, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { IconDownload } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import { IconAlertTriangle, IconCircleCheck, IconRefresh } from "../../design/shell-icons.tsx";
import { Detail, Details } from "../parts/details.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { saveFile } from "../parts/save-file.ts";
import { Time } from "../parts/time.tsx";
import { failed, succeeded } from "../parts/toast.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { useTRPC, useTRPCClient } from "../trpc.ts";
import { DnsRecords } from "./dns-records.tsx";
import { DomainSettings } from "./domain-settings.tsx";
import { type Domain, DomainState, isGrantedOnly, isNotFound, labelOf, recordAnchor } from "./domain-state.tsx";
import classes from "./domains.module.css";
import { DOMAINS } from "./places.ts";

/** The service refuses checks within this time after the last one. */
const PAUSE_MS = 10_000;
const TICK_MS = 1_000;

const BACK = { href: DOMAINS, label: "Domains" };
/** While a record is missing: the worker or another person may find it. */
const LOOK_AGAIN_SOON_MS = 5_000;
const LOOK_AGAIN_MS = 60_000;

function countFound({ records }: Pick<Domain, "records">): number {
  return records.filter(({ status }) => status === "found").length;
}

function lookAgainMs(domain: Domain | undefined): number {
  const isDone = domain && domain.status !== "lost" && countFound(domain) === domain.records.length;
  return isDone ? LOOK_AGAIN_MS : LOOK_AGAIN_SOON_MS;
}

export default function OneDomain({ id }: { id: string }) {
  const trpc = useTRPC();
  const found = useQuery(
    trpc.domains.get.queryOptions({ domain: id }, { refetchInterval: ({ state }) => lookAgainMs(state.data) }),
  );
  if (found.data) return <DomainPage domain={found.data} />;
  return (
    <>
      <PageHeader title="Domain" back={BACK} />
      <Unloaded query={found} what="domain" />
    </>
  );
}

function DomainPage({ domain }: { domain: Domain }) {
  return (
    <>
      <PageHeader
        title={domain.domain}
        back={BACK}
        actions={
          <>
            <ZoneFile domain={domain} />
            <CheckNow domain={domain} />
          </>
        }
      />
      <Unreachable domain={domain} />
      <NextStep domain={domain} />
      <CheckState domain={domain} />
      <Outcomes domain={domain} />
      <DnsRecords domain={domain} />
      <DomainSettings domain={domain} />
    </>
  );
}

const WAYS: Record<Domain["outcomes"]["by"][number], string> = {
  local: "this service, which sends no mail to others",
  return_path: "the return path",
  resend: "events of Resend",
  ses: "events of Amazon SES",
  postmark: "events of Postmark",
  mailgun: "events of Mailgun",
  sendgrid: "events of SendGrid",
};

/** How bounces and complaints become known, or why they do not. */
function Outcomes({ domain: { sending, outcomes } }: { domain: Domain }) {
  if (sending.status !== "ready") return null;
  if (outcomes.reason !== null) {
    return (
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Bounces are not reported" my="lg">
        {outcomes.reason}
      </Alert>
    );
  }
  return (
    <Text size="sm" my="lg" className={classes.intro}>
      Bounces and complaints are reported by {outcomes.by.map((way) => WAYS[way]).join(" and ")}.
    </Text>
  );
}

function ZoneFile({ domain: { id, domain } }: { domain: Domain }) {
  const client = useTRPCClient();
  const save = useMutation({
    mutationFn: () => client.domains.zoneFile.query({ domain: id }),
    onSuccess: ({ content_base64, filename }) => saveFile(content_base64, filename ?? `${domain}.zone`),
    onError: (error) => failed(error, "The zone file could not be downloaded"),
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={17} aria-hidden />}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      Zone file
    </Button>
  );
}

/** First of all: that the domain is lost, what fails, or what to do next. */
function NextStep({ domain }: { domain: Domain }) {
  const { status, ownership, receiving, sending } = domain;
  if (status === "lost") {
    return (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="Your organization lost this domain" mb="lg">
        The ownership record was missing for 72 hours. The inboxes at this domain still receive mail, but they send
        none, and no new ones can be created. Publish the ownership record again, then check now. Another organization
        can verify the domain before you do; then the inboxes are deleted.
      </Alert>
    );
  }
  const failing = [ownership, receiving, sending].filter((part) => part.status === "failing");
  if (failing.length > 0) {
    return (
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="A record needs attention" mb="lg">
        {failing.map((part) => (
          <Text size="sm" key={part.reason}>
            {part.reason} {part === ownership && "After 72 hours without it, the domain is lost."}
            {part === receiving && "Mail to this domain does not arrive here."}
            {part === sending && status === "verified" && "Inboxes at this domain send nothing until it is found."}
          </Text>
        ))}
        <ul className={classes.notFound} aria-label="Records that need attention">
          {domain.records.filter(isNotFound).map((record) => (
            <li key={recordAnchor(record)}>
              <Anchor href={`#${recordAnchor(record)}`} size="sm">
                {labelOf(record)}: {record.type} record of {record.name}
              </Anchor>
            </li>
          ))}
        </ul>
      </Alert>
    );
  }
  if (isGrantedOnly(domain) && sending.status !== "ready") {
    return (
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Granted by the operator" mb="lg">
        Inboxes can have addresses at this domain. {sending.reason} Add the records below at your DNS provider, or
        import the zone file there. The ownership record is needed only if your organization is to keep the domain
        without the grant.
      </Alert>
    );
  }
  if (status === "pending" && !isGrantedOnly(domain)) {
    return (
      <Text mb="lg" className={classes.intro}>
        Add these records at your DNS provider, or import the zone file there. Some providers add{" "}
        <strong>.{domain.domain}</strong> to names by themselves: then leave it out. The service checks DNS every minute
        at first, and this page shows what it finds.
      </Text>
    );
  }
  if (sending.status !== "ready" || receiving.status !== "ready") return null;
  return (
    <Alert color="green" icon={<IconCircleCheck aria-hidden />} title="This domain is ready" mb="lg">
      <Text size="sm">Issue a key that allows it. Inboxes that its agents create can have addresses at it.</Text>
      <Button component={NearLink} href="/dashboard/keys" size="xs" variant="default" mt="xs">
        Go to the keys
      </Button>
    </Alert>
  );
}

/** A name that only this machine knows. */
const OF_THIS_MACHINE = /(^|\.)localhost$/;

/** Records that name a machine without a public name cannot work. */
function Unreachable({ domain: { records } }: { domain: Domain }) {
  const mx = records.find(({ purpose, value }) => purpose === "mx" && OF_THIS_MACHINE.test(value));
  if (!mx) return null;
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle aria-hidden />}
      title="Other mail servers cannot find this service"
      mb="lg"
    >
      The records name <strong>{mx.value}</strong>, which exists only on this machine. Before you publish them, the
      operator sets SMTP_HOSTNAME to the public name of this service.
    </Alert>
  );
}

function CheckState({ domain }: { domain: Domain }) {
  const { records, created_at, verified_at, last_checked_at, next_check_at } = domain;
  const found = countFound(domain);
  const above = (
    <div className={classes.found}>
      <DomainState domain={domain} />
      <span role="status">
        {found} of {records.length} records found
      </span>
      <Progress
        className={classes.progress}
        value={(100 * found) / Math.max(1, records.length)}
        color={found === records.length ? "green" : "blue"}
        aria-label="Records found"
      />
    </div>
  );
  return (
    <Details label="State" above={above}>
      <Detail name="Last check">
        <Time at={last_checked_at} />
      </Detail>
      <Detail name="Next check">
        <Time at={next_check_at} ahead />
      </Detail>
      <Detail name="Added">
        <Time at={created_at} />
      </Detail>
      <Detail name="Verified">
        <Time at={verified_at} />
      </Detail>
    </Details>
  );
}

/** Seconds until the service accepts a check. A wrong clock of the browser makes it wait 10 seconds at most. */
function useCheckPause(last: string | null): number {
  const [seen, setSeen] = useState(() => ({ last, since: Date.now() }));
  const [now, setNow] = useState(() => Date.now());
  if (seen.last !== last) setSeen({ last, since: Date.now() });
  const until = last === null ? 0 : Math.min(Date.parse(last), seen.since) + PAUSE_MS;
  const isWaiting = until > now;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return isWaiting ? Math.ceil(Math.min(PAUSE_MS, until - now) / TICK_MS) : 0;
}

/** The button to check the DNS records of a domain now, at most every 10 seconds. */
function CheckNow({ domain: { id, domain, status, last_checked_at } }: { domain: Domain }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const wait = useCheckPause(last_checked_at);
  const verify = useMutation(
    trpc.domains.verify.mutationOptions({
      onSuccess(checked) {
        if (checked.status === "verified" && status !== "verified") succeeded(`${domain} is verified`);
      },
      onError: (error) => failed(error, "The check did not succeed"),
      onSettled: () => queries.invalidateQueries(trpc.domains.pathFilter()),
    }),
  );
  const mustWait = wait > 0 && !verify.isPending;
  return (
    <AdminButton
      what="check domains"
      leftSection={<IconRefresh size={17} aria-hidden />}
      loading={verify.isPending}
      data-disabled={mustWait || undefined}
      aria-disabled={mustWait}
      onClick={() => !mustWait && verify.mutate({ domain: id })}
    >
      {mustWait ? `Check again in ${wait} s` : "Check now"}
    </AdminButton>
  );
}
