// Mail over SMTP to a server, until the signed webhook of each mail has arrived at a receiver.
import { type Helper, startHelper } from "./children.ts";
import type { MailServer } from "./mail-server.ts";
import type { ReceiverAnswer, ReceiverOrder } from "./receiver.ts";
import { DOMAIN } from "./site.ts";
import type { SmtpAnswer, SmtpOrder } from "./smtp-load.ts";

const WEBHOOKS_WITHIN_MS = 60_000;

/** Mailboxes `box-0`, `box-1`, … that the mails go to. */
export const BOXES = 100;

type Target = Pick<MailServer, "smtpPort" | "webhookSecret">;
type Order = Pick<SmtpOrder, "mode" | "sessions" | "perSecond" | "seconds">;
/** `latencies` in ms: from the last octet of a mail to its webhook. */
type Sent = { mails: number; seconds: number; latencies: number[] };

export type Intake = {
  /** Where the receiver takes webhooks. */
  hookUrl: string;
  /** Sends mails for the seconds of the order, then waits for their webhooks, if the server owes any. */
  send(server: Target, order: Order): Promise<Sent>;
};

export async function startIntake(): Promise<Intake> {
  const smtp: Helper<SmtpOrder, SmtpAnswer> = startHelper(new URL("./smtp-load.ts", import.meta.url));
  const receiver: Helper<ReceiverOrder, ReceiverAnswer> = startHelper(new URL("./receiver.ts", import.meta.url));
  const { port } = await receiver.ask({ kind: "listen" });
  let runs = 0;
  return {
    hookUrl: `http://127.0.0.1:${port}/hook`,
    async send({ smtpPort, webhookSecret }, order) {
      runs += 1;
      const tag = `r${runs}`;
      if (webhookSecret) await receiver.ask({ kind: "expect", tag, secret: webhookSecret });
      const sent = await smtp.ask({ ...order, port: smtpPort, tag, domain: DOMAIN, boxes: BOXES });
      const mails = sent.sentMs.length;
      if (!webhookSecret) return { mails, seconds: (sent.acceptedMs - sent.startedMs) / 1000, latencies: [] };
      const { arrivedMs = [] } = await receiver.ask({ kind: "collect", mails, withinMs: WEBHOOKS_WITHIN_MS });
      const last = arrivedMs.reduce((latest, each) => Math.max(latest, each), 0);
      const latencies = arrivedMs.map((each, n) => each - (sent.sentMs[n] ?? 0));
      return { mails, seconds: (last - sent.startedMs) / 1000, latencies };
    },
  };
}
