// The settings of the service, which the operator sets, to read and copy.
"use client";
import { Anchor, Badge, Title } from "@mantine/core";
import { NearLink } from "../../../design/near-link.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { useMe } from "../../session/member.tsx";
import { Fact, Facts } from "../facts.tsx";
import classes from "../settings.module.css";
import { type Organization, WithOrganization } from "../with-organization.tsx";

type Service = Organization["service"];

const OUTBOUND: Record<Service["outbound"], [string, string]> = {
  local: ["Stays here", "Mail to mailboxes on this service is delivered. All other mail is captured and not sent."],
  smtp: ["Through an SMTP relay", "Signed with the DKIM key of the sender's domain."],
  resend: ["Through Resend", "Each mailbox sends with its own address."],
};
const TARGETS: Record<Service["webhook_targets"], string> = {
  public: "Public addresses only",
  any: "Any address, including this machine and its network",
};

export default function ServicePage() {
  return (
    <>
      <PageHeader title="Service" description="Settings of this service. Only the operator can change them." />
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
        <Fact label="API" text={`${service.public_url}/v1`} copy="the base URL of the API" />
        <Fact label="OpenAPI document" text={`${service.public_url}/v1/openapi.json`} copy="its address" />
        <Fact
          label="Signature header"
          text={`X-${service.service_name}-Signature`}
          copy="the name of the header"
          hint="This header carries the signature of a webhook delivery."
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
          hint="The SMTP server. Point the MX record of your domain here, on port 25."
        />
        {service.submission && <MailPrograms {...service.submission} />}
        <Fact
          label="Default domain"
          text={service.default_domain}
          copy="the default domain"
          hint="Used when a mailbox is created without a domain."
        />
        <Fact label="Mail out" hint={meaning}>
          {outbound}
        </Fact>
        <Fact
          label="Daily send cap"
          hint="SEND_CAP_RAMP: by the age of a mailbox in days. The last value stays. Replies have a separate cap. The operator raises it."
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
            {enabled ? "Accepts payments" : "Does not accept payments"}
          </Badge>
        </Fact>
        <Fact label="This organization">
          <Badge variant="light" color={paying ? "green" : "gray"}>
            {paying ? "Pays for mailboxes" : "Does not pay"}
          </Badge>
        </Fact>
        <Fact label="More">
          <Anchor component={NearLink} href="/dashboard/payments" data-thumb>
            {paying ? "View payments" : "How an operator turns payments on"}
          </Anchor>
        </Fact>
      </Facts>
    </section>
  );
}

type Submission = NonNullable<Service["submission"]>;

function MailPrograms({ host, starttls_port, tls_port }: Submission) {
  const ports = [starttls_port && `${starttls_port} (STARTTLS)`, tls_port && `${tls_port} (TLS)`].filter(Boolean);
  return (
    <Fact
      label="Mail programs"
      hint="They send over SMTP with the address of a mailbox as user name, and an agent key as password."
    >
      {host}, port {ports.join(" or ")}
    </Fact>
  );
}
