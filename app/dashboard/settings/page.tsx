// The organization: its name, who is told by mail, and what it has.
"use client";
import { Badge, Group, Title } from "@mantine/core";
import { Moment } from "../moment.tsx";
import { PageHeader } from "../page-header.tsx";
import { Fact, Facts } from "./facts.tsx";
import { OrganizationForm } from "./organization-form.tsx";
import classes from "./settings.module.css";
import { type Organization, WithOrganization } from "./with-organization.tsx";

export default function OrganizationPage() {
  return (
    <>
      <PageHeader title="Organization" description="What it is called, and who hears when something stops working." />
      <WithOrganization>
        {(organization) => (
          <>
            <section className={classes.panel} aria-label="Name and letters">
              <OrganizationForm key={organization.id} organization={organization} />
            </section>
            <section className={classes.panel}>
              <Title order={2}>Facts</Title>
              <OrganizationFacts organization={organization} />
            </section>
          </>
        )}
      </WithOrganization>
    </>
  );
}

function OrganizationFacts({ organization }: { organization: Organization }) {
  const { id, created_at, domains, paid_provisioning } = organization;
  return (
    <Facts>
      <Fact label="Id" text={id} copy="the organization's id" hint="What the operator's command and support ask for." />
      <Fact label="Domains allowed" hint="By its keys. A star stands for every name below that domain.">
        <Domains names={domains.allowed} none="No key is good: issue one under Keys." />
      </Fact>
      <Fact label="Domains in use" hint="By its newest mailboxes.">
        <Domains names={domains.in_use} none="None yet: no mailbox is open." />
      </Fact>
      <Fact label="New mailboxes">{paid_provisioning ? "Paid for one by one" : "Free, within the quota of a key"}</Fact>
      <Fact label="Created">
        <Moment at={created_at} exact />
      </Fact>
    </Facts>
  );
}

function Domains({ names, none }: { names: string[]; none: string }) {
  if (names.length === 0) return none;
  return (
    <Group gap={6}>
      {names.map((name) => (
        <Badge key={name} variant="light" color="gray" size="lg">
          {name}
        </Badge>
      ))}
    </Group>
  );
}
