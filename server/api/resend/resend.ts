// The API of Resend, as its npm package resend 6.38.0 calls it.
import type { Vendor } from "../compat/route.ts";
import { accountRoutes } from "./account.ts";
import { domainRoutes } from "./domains.ts";
import { emailRoutes } from "./emails.ts";
import { refusal, WORDS } from "./parts.ts";
import { receivedRoutes } from "./received.ts";
import { webhookRoutes } from "./webhooks.ts";

const MARKETING = "Mailberth sends the mail of agents: it has no contacts, campaigns or automations.";
const INBOXES = "Mailboxes and threads are at /v1/inboxes and /v1/threads here.";

export const resend: Vendor = {
  routes: [...emailRoutes, ...receivedRoutes, ...domainRoutes, ...webhookRoutes, ...accountRoutes],
  words: WORDS,
  refusal,
  absent: [
    ...["audiences", "automations", "broadcasts", "contacts", "contact-properties", "events", "segments", "topics"].map(
      (name): [string, string] => [`/${name}`, MARKETING],
    ),
    ["/inboxes", INBOXES],
    ["/templates", "Mailberth has no templates: send the text and HTML."],
    ["/logs", "Mailberth has no log of calls here: each answer has an X-Request-Id, which the operator's log has too."],
    ["/oauth", "Connected apps are under Settings in the dashboard."],
    ["/usage", "The limits of a mailbox are at GET /v1/inboxes/{addr}/send-limit, those of a key at GET /v1/auth/me."],
  ],
};
