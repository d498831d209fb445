// The subjects of emails. The list is closed, so no subject has words of strangers: no names of organizations, people,
// mailboxes and domains, and no subjects of mail.
import type { EmailTopic } from "#db/notice-topics.ts";

type Wording = { one: string; many?: (things: number) => string };

/** Emails with `many` that wait for the same place are merged into one. {service} stands for the name of the service. */
const SUBJECTS: Record<EmailTopic, Wording> = {
  webhook_disabled: { one: "A webhook was disabled", many: (things) => `${things} webhooks were disabled` },
  domain_lost: { one: "A domain is lost", many: (things) => `${things} domains are lost` },
  mailboxes_deleted: {
    one: "The mailboxes of a domain were deleted",
    many: (things) => `The mailboxes of ${things} domains were deleted`,
  },
  approval: { one: "A message waits for approval", many: (things) => `${things} messages wait for approval` },
  postmaster: { one: "Mail to postmaster arrived", many: (things) => `${things} mails to postmaster arrived` },
  sending_paused: { one: "Sending is paused", many: (things) => `${things} pauses of sending` },
  test: { one: "Test notice from {service}" },
  invitation: { one: "You are invited to an organization on {service}" },
  reset: { one: "Set a new password" },
  confirmation: { one: "Confirm this address for notices from {service}" },
};

export function isMergeable(topic: EmailTopic | null): boolean {
  return topic !== null && SUBJECTS[topic].many !== undefined;
}

export function subjectOf(topic: EmailTopic, { SERVICE_NAME }: { SERVICE_NAME: string }, things = 1): string {
  const { one, many } = SUBJECTS[topic];
  return things > 1 && many ? many(things) : one.replace("{service}", () => SERVICE_NAME);
}
