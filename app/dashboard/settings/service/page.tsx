// The service that the organization is on: what its operator has set, to read and to copy.
"use client";
import { Anchor, Badge, Title } from "@mantine/core";
import Link from "next/link";
import { useMe } from "../../member.tsx";
import { PageHeader } from "../../page-header.tsx";
import { Fact, Facts } from "../facts.tsx";
import classes from "../settings.module.css";
import { type Organization, WithOrganization } from "../with-organization.tsx";

type Service = Organization["service"];

const OUTBOUND: Record<Service["outbound"], [string, string]> = {
  local: [
    "Stays here",
    "Mailboxes of this service get it. What is for the outside is captured: nothing leaves this machine.",
  ],
  smtp: ["By an SMTP relay", "Signed with DKIM where the operator has set a key."],
  resend: ["By Resend", "Each mailbox is a sender there."],
};
const TARGETS: Record<Service["webhook_targets"], string> = {
  public: "Public addresses alone",
  any: "Any address, this machine and its network too",
};

export default function ServicePage() {
  return (
    <>
      <PageHeader
        title="Service"
        description="What the operator of this service has set. Nothing here can be changed."
      />
      <WithOrganization>
        {({ service }) => (
          <>
            <Reach service={service} />
            <Mail service={service} />
            <Rest service={service} />
          </>
        )}
      </WithOrganization>
    </>
  );
}

function Reach({ service }: { service: Service }) {
  return (
    <section className={classes.panel}>
      <Title order={2}>Reaching it</Title>
      <Facts>
        <Fact label="API" text={`${service.public_url}/v1`} copy="the base of the API" />
        <Fact label="OpenAPI document" text={`${service.public_url}/v1/openapi.json`} copy="its address" />
        <Fact
          label="Signature header"
          text={`X-${service.service_name}-Signature`}
          copy="the name of the header"
          hint="Carries the signature of a webhook's delivery."
        />
        <Fact label="Webhooks may go to">{TARGETS[service.webhook_targets]}</Fact>
      </Facts>
    </section>
  );
}

function Mail({ service }: { service: Service }) {
  const [outbound, meaning] = OUTBOUND[service.outbound];
  return (
    <section className={classes.panel}>
      <Title order={2}>Mail</Title>
      <Facts>
        <Fact
          label="Mail in"
          text={`${service.smtp_host}:${service.smtp_port}`}
          copy="the SMTP address"
          hint="SMTP. The MX record of a domain leads here, on port 25."
        />
        <Fact
          label="Default domain"
          text={service.default_domain}
          copy="the default domain"
          hint="Of a mailbox that names no other."
        />
        <Fact label="Mail out" hint={meaning}>
          {outbound}
        </Fact>
        <Fact
          label="Sends a day"
          hint="By the age of a mailbox in days. It stays at the last step. Replies have room of their own."
        >
          <Ramp steps={service.send_cap_ramp} />
        </Fact>
      </Facts>
    </section>
  );
}

function Ramp({ steps }: { steps: number[] }) {
  const days = steps.map((cap, index) => ({ cap, day: index + 1 }));
  return (
    <ol className={classes.steps}>
      {days.map(({ cap, day }) => (
        <li key={day} className={classes.step}>
          <span>Day {day === days.length ? `${day}+` : day}</span>
          {cap.toLocaleString("en")}
        </li>
      ))}
    </ol>
  );
}

function Rest({ service }: { service: Service }) {
  const { payments: paying } = useMe();
  const { enabled } = service.payments;
  return (
    <section className={classes.panel}>
      <Title order={2}>Payments</Title>
      <Facts>
        <Fact label="This service">
          <Badge variant="light" color={enabled ? "green" : "gray"}>
            {enabled ? "Takes payments" : "Takes no payments"}
          </Badge>
        </Fact>
        <Fact label="This organization">
          <Badge variant="light" color={paying ? "green" : "gray"}>
            {paying ? "Pays for mailboxes" : "Does not pay"}
          </Badge>
        </Fact>
        <Fact label="More">
          <Anchor component={Link} href="/dashboard/payments">
            {paying ? "What was paid" : "How an operator turns it on"}
          </Anchor>
        </Fact>
      </Facts>
    </section>
  );
}
