// The DNS records of a domain in four steps, each record with its fields to copy and its state.
"use client";
import { Text, Title } from "@mantine/core";
import { Copy } from "../parts/copy.tsx";
import {
  type DnsRecord,
  type Domain,
  isNotFound,
  labelOf,
  PartState,
  RecordState,
  recordAnchor,
} from "./domain-state.tsx";
import classes from "./domains.module.css";

type Purpose = DnsRecord["purpose"];
type Step = {
  title: string;
  text: string;
  purposes: Purpose[];
  part?: "ownership" | "receiving" | "sending";
};

const STEPS: Step[] = [
  {
    title: "Prove ownership",
    text: "Keep this record. Without it for 72 hours, the domain is lost to your organization.",
    purposes: ["ownership"],
    part: "ownership",
  },
  {
    title: "Receive mail",
    text: "All mail to this domain is then delivered to this service.",
    purposes: ["mx"],
    part: "receiving",
  },
  {
    title: "Send mail",
    text: "Other mail servers check these records before they accept mail from this domain. Bounces return to the subdomain.",
    purposes: ["spf", "dkim", "return_path_mx", "return_path_spf"],
    part: "sending",
  },
  {
    title: "Set a policy",
    text: "Recommended. It tells other mail servers what to do with mail that fails these checks.",
    purposes: ["dmarc"],
  },
  {
    title: "Watch or insist on TLS",
    text: "Recommended. With a policy (MTA-STS), other mail servers deliver to this domain over TLS alone. With TLS reports, they tell where TLS fails.",
    purposes: ["mta_sts", "mta_sts_policy", "tls_rpt"],
  },
];

/** Values that are longer than this are not repeated in the advice. */
const LONG_VALUE_CHARS = 60;

export function DnsRecords({ domain }: { domain: Domain }) {
  const isFailing = ({ part }: Step) => part !== undefined && domain[part].status === "failing";
  // What once worked and fails now is first.
  const steps = STEPS.toSorted((one, other) => Number(isFailing(other)) - Number(isFailing(one)));
  return (
    <ol className={classes.steps}>
      {steps.map((step) => (
        <OneStep key={step.title} step={step} domain={domain} />
      ))}
    </ol>
  );
}

function OneStep({ step: { title, text, purposes, part }, domain }: { step: Step; domain: Domain }) {
  const state = part && domain[part];
  const all = domain.records.filter(({ purpose }) => purposes.includes(purpose));
  const records =
    state?.status === "failing"
      ? all.toSorted((one, other) => Number(isNotFound(other)) - Number(isNotFound(one)))
      : all;
  return (
    <li className={classes.step}>
      <div className={classes.stepHead}>
        <Title order={2} size="h4">
          {title}
        </Title>
        {state && <PartState part={state} />}
      </div>
      <Text size="sm" c="dimmed" mt={2}>
        {text}
      </Text>
      {records.length === 0 ? (
        <Text size="sm" mt="sm">
          The records of the mail provider appear here after the domain is verified.
        </Text>
      ) : (
        <ul className={classes.records} aria-label={`Records: ${title}`}>
          {records.map((record) => (
            <OneRecord key={`${record.purpose} ${record.name} ${record.value}`} record={record} />
          ))}
        </ul>
      )}
    </li>
  );
}

function OneRecord({ record }: { record: DnsRecord }) {
  const { type, name, value, priority, status } = record;
  const label = labelOf(record);
  return (
    <li id={recordAnchor(record)} className={classes.record} data-status={status} aria-label={`${label}: ${name}`}>
      <div className={classes.recordHead}>
        <strong>{label}</strong>
        <RecordState record={record} />
      </div>
      <dl className={classes.fields}>
        <Field name="Type" text={type} />
        <Field name="Name" text={name} what={`the name of ${label}, ${name}`} />
        {priority !== null && (
          <Field name="Priority" text={String(priority)} what={`the priority of ${label}, ${name}`} />
        )}
        <Field name="Value" text={value} what={`the value of ${label}, ${name}`} isWide />
      </dl>
      <Advice record={record} />
    </li>
  );
}

type FieldProps = { name: string; text: string; what?: string; isWide?: boolean };

function Field({ name, text, what, isWide = false }: FieldProps) {
  return (
    <div data-wide={isWide || undefined}>
      <dt>{name}</dt>
      <dd>
        <code>{text}</code>
        {what && <Copy text={text} what={what} />}
      </dd>
    </div>
  );
}

/** How the service marks a record that no name server answered for. */
const UNREADABLE = /^could not be read/;

/** What DNS answers now, and what to do. A record that does not exist yet needs no more words than its fields. */
function Advice({ record: { status, observed, fix, value } }: { record: DnsRecord }) {
  if (status === "found" || (status === "missing" && observed.length === 0)) return null;
  const [first = ""] = observed;
  if (UNREADABLE.test(first)) {
    return (
      <Text size="sm" className={classes.advice}>
        The record {first}. The service checks again later.
      </Text>
    );
  }
  return (
    <div className={classes.advice}>
      {observed.length > 0 && (
        <>
          <Text size="sm">DNS answers now:</Text>
          <ul className={classes.observed}>
            {observed.map((text) => (
              <li key={text}>
                <code>{text}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {fix && (
        <Text size="sm" fw={550}>
          {value.length > LONG_VALUE_CHARS ? fix.replace(value, "the value above") : fix}
        </Text>
      )}
    </div>
  );
}
