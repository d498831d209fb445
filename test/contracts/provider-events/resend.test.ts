// Events of Resend, signed as Svix signs.
import { startResendDouble } from "#test/support/resend-double.ts";
import { signatureOf, WEBHOOK_SECRET } from "#test/support/resend-events.ts";
import { changed, type How, type Kind, type Posted, providerEventsContract, type Taken } from "./contract.ts";

const SECOND_MS = 1_000;
const OTHER_SECRET = `whsec_${Buffer.alloc(24, 9).toString("base64")}`;
const EVENTS: Record<Kind, [type: string, more: object]> = {
  delivered: ["email.delivered", {}],
  hard: ["email.bounced", { bounce: { type: "Permanent", message: "smtp; 550 5.1.1 user unknown" } }],
  soft: ["email.bounced", { bounce: { type: "Transient", message: "smtp; 552 5.2.2 mailbox full" } }],
  complained: ["email.complained", {}],
  failed: ["email.failed", { failed: { reason: "reached_daily_quota" } }],
  delayed: ["email.delivery_delayed", {}],
  unsubscribed: ["contact.updated", {}],
  other: ["email.opened", {}],
};

providerEventsContract("resend", async () => {
  const double = await startResendDouble(["mail.example"]);
  function report(kind: Kind, { id: email_id, to, mark }: Taken, { id, at, isNewKey }: How): Posted {
    const [type, more] = EVENTS[kind];
    const data = { email_id, to: [to], tags: { message: mark }, ...more };
    const body = JSON.stringify({ type, created_at: at, data });
    const seconds = Math.floor(Date.now() / SECOND_MS);
    const own = signatureOf(WEBHOOK_SECRET, id, seconds, body);
    // While a secret is changed, Svix signs with both.
    const signature = isNewKey ? `${signatureOf(OTHER_SECRET, id, seconds, body)} ${own}` : own;
    return { body, headers: { "svix-id": id, "svix-timestamp": String(seconds), "svix-signature": signature } };
  }
  return {
    name: "resend",
    settings: {
      OUTBOUND: "resend",
      RESEND_API_KEY: double.apiKey,
      RESEND_BASE_URL: double.url,
      RESEND_WEBHOOK_SECRET: WEBHOOK_SECRET,
    },
    kinds: ["delivered", "hard", "soft", "complained", "failed", "delayed", "other"],
    report,
    forge({ body, headers }, nth) {
      return nth % 2 ? { body: changed(body, nth), headers } : { body, headers: { ...headers, "svix-id": `x${nth}` } };
    },
    taken(id, to) {
      const email = double.account.emails.find(({ idempotencyKey }) => idempotencyKey === id);
      return to.map((address) => ({ id: email?.id ?? "", to: address, messageId: "", returnPath: "", mark: id }));
    },
    close: double.close,
  };
});
