// The organization: name, addresses for notices, and facts.
"use client";
import { Badge, Group, Skeleton, Title } from "@mantine/core";
import { later } from "../parts/later.ts";
import { PageHeader } from "../parts/page-header.tsx";
import { Time } from "../parts/time.tsx";
import { useMayAct } from "../session/member.tsx";
import { Fact, Facts } from "./facts.tsx";
import { NoticeAddresses } from "./notice-addresses.tsx";
import { CompanySignIn, SecondFactor } from "./requirements.tsx";
import classes from "./settings.module.css";
import { type Organization, WithOrganization } from "./with-organization.tsx";

const FORM_HEIGHT = 240;
const REVIEW_HEIGHT = 300;
const SPAM_HEIGHT = 150;
const PAUSE_HEIGHT = 70;

// Its field for several addresses is a sixth of the script.
const OrganizationForm = later(
  () => import("./organization-form.tsx"),
  () => <Skeleton height={FORM_HEIGHT} radius="md" />,
);
const ReviewForm = later(
  () => import("./review-form.tsx"),
  () => <Skeleton height={REVIEW_HEIGHT} radius="md" />,
);

const SpamPolicy = later(
  () => import("../parts/spam-policy.tsx"),
  () => <Skeleton height={SPAM_HEIGHT} radius="md" />,
);

const PauseAll = later(
  () => import("./pause-all.tsx"),
  () => <Skeleton height={PAUSE_HEIGHT} radius="md" />,
);

export default function OrganizationPage() {
  const mayChange = useMayAct("admin");
  return (
    <>
      <PageHeader
        title="Organization"
        description="The name of your organization, and the addresses that get every notice."
      />
      <WithOrganization>
        {(organization) => (
          <>
            <section className={classes.panel} aria-label="Name and notifications">
              <OrganizationForm key={organization.id} organization={organization} />
              <NoticeAddresses addresses={organization.notice_addresses} />
            </section>
            <section className={classes.panel}>
              <Title order={2} mb="sm">
                Approval
              </Title>
              <ReviewForm />
            </section>
            <section className={classes.panel} aria-label="Spam">
              <Title order={2} mb="sm">
                Spam
              </Title>
              <SpamPolicy mayChange={mayChange} />
            </section>
            <SecondFactor isRequired={organization.require_second_factor} />
            <CompanySignIn isRequired={organization.require_company_sign_in} />
            <section className={classes.panel}>
              <Title order={2} mb="sm">
                Stop
              </Title>
              <PauseAll />
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
      <Fact label="Id" text={id} copy="the organization's id" hint="The operator's command and support use this ID." />
      <Fact label="Domains allowed" hint="Domains that active keys allow. * stands for every subdomain.">
        <Domains names={domains.allowed} none="No active key. Issue one under Keys." />
      </Fact>
      <Fact label="Domains in use" hint="Domains of the newest mailboxes.">
        <Domains names={domains.in_use} none="No mailboxes yet." />
      </Fact>
      <Fact label="New mailboxes">
        {paid_provisioning ? "Each one is paid for" : "Free, within the quota of a key"}
      </Fact>
      <Fact label="Created">
        <Time at={created_at} exact />
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
