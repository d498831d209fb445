// A mail server that W2 measures, and the mailboxes of one that is Mailberth.
import { type Mailberth, post } from "./site.ts";
import type { SmtpMode } from "./smtp-load.ts";

export type MailServer = {
  name: string;
  smtpPort: number;
  /** Roots of its process trees, the database's included. */
  processes: () => number[];
  memoryOf: () => number[];
  /** Of these, the ones that are not children of the bench. */
  strays?: () => number[];
  /** There when the server owes a webhook for each mail; without it a mail is done once it is accepted. */
  webhookSecret?: string;
  /** The most sessions it is measured with, and the ways clients connect; without it, all. */
  only?: { sessionsMax: number; modes: SmtpMode[] };
  /** Ratio that Mailberth should reach, by the way clients connect. */
  goals: Partial<Record<SmtpMode, number>>;
  settle?(): Promise<void>;
  stop(): Promise<void>;
};

/** Creates mailboxes `box-0`, `box-1`, … and a webhook for their mail. @returns the webhook's secret */
export async function addMailboxes(mailberth: Mailberth, hookUrl: string, count: number): Promise<string> {
  const key = await mailberth.agentKey();
  const hook = { url: hookUrl, events: ["message.received"] };
  const { secret } = await post<{ secret: string }>(mailberth, key, "/v1/webhooks", hook);
  for (let n = 0; n < count; n += 1) await post(mailberth, key, "/v1/inboxes", { username: `box-${n}` });
  return secret;
}
