// Reads the events that Mailgun posts. Its signature covers a time and a token, not the event, so each token counts once.
// https://documentation.mailgun.com/docs/mailgun/user-manual/events/webhooks
import { createHmac } from "node:crypto";
import { z } from "zod";
import type { ProviderEvent, ProviderEvents, ProviderReport } from "../base/ports/provider-events.ts";
import { id, isOneOf, joined, named, parsed, recipient, seconds, words } from "./event-fields.ts";

const BODY_BYTES = 256 * 1024;
const SECOND_MS = 1_000;
/** Mailgun repeats an event for 8 hours. Longer than that, no token is taken; used ones are kept for longer. */
const AGE_MAX_MS = 12 * 60 * 60 * SECOND_MS;
const AHEAD_MAX_MS = 5 * 60 * SECOND_MS;

const signature = z.object({
  timestamp: z
    .union([z.string(), z.int()])
    .transform(String)
    .pipe(z.string().regex(/^\d{1,11}$/)),
  token: z.string().regex(/^[\x21-\x7e]{20,100}$/),
  signature: z.string().regex(/^[0-9a-f]{64}$/i),
});
const signed = z.object({ signature, "event-data": z.unknown() });
const event = z.object({
  event: z.string().max(100),
  timestamp: seconds,
  recipient,
  severity: words,
  reason: words,
  message: z.object({ headers: z.object({ "message-id": id }) }),
  "delivery-status": z
    .object({ code: z.int(), message: words, description: words, "enhanced-code": words, "bounce-type": words })
    .partial()
    .nullish()
    .catch(null),
  reject: z.object({ reason: words }).nullish().catch(null),
});
type Data = z.infer<typeof event>;

const STATUSES = new Map<string, ProviderReport["status"]>([
  ["delivered", "delivered"],
  ["failed", "bounced"],
  ["complained", "complained"],
  ["rejected", "failed"],
  ["unsubscribed", "unsubscribed"],
]);

/** Not sent, because the address is on a list of Mailgun. */
function isHeldBack({ reason }: Data): boolean {
  return reason?.startsWith("suppress-") ?? false;
}

function statusOf(data: Data): ProviderReport["status"] | undefined {
  const status = STATUSES.get(data.event);
  if (data.event !== "failed") return status;
  if (data.severity === "temporary") return "delayed";
  return isHeldBack(data) ? "failed" : status;
}

/** With the code, which the words often leave out. */
function reasonOf({ reason, reject, "delivery-status": said }: Data): string | null {
  const text = said?.message || said?.description || reject?.reason || reason;
  const codes = [said?.code, said?.["enhanced-code"]].filter((code) => code && !text?.includes(String(code)));
  return joined(...codes, text);
}

const HARD = new Map([
  ["hard", true],
  ["soft", false],
]);

function eventOf(token: string, given: unknown): ProviderEvent {
  const own = { id: `mailgun/${token}`, once: true as const };
  const kind = z.object({ event: z.string() }).safeParse(given).data?.event;
  if (kind === undefined || !STATUSES.has(kind)) return { ...own, kind: kind === undefined ? "malformed" : "other" };
  const { data } = event.safeParse(given);
  const status = data && statusOf(data);
  if (!data || !status) return { ...own, kind: "malformed" };
  const report: ProviderReport = {
    status,
    message: named({ messageId: data.message.headers["message-id"] }),
    about: { recipient: data.recipient },
    reason: status === "delivered" ? null : reasonOf(data),
    permanent: HARD.get(data["delivery-status"]?.["bounce-type"] ?? "") ?? null,
    at: data.timestamp,
  };
  return { ...own, kind: "report", report };
}

/** @param options.keys one or, while it is changed, two */
export function mailgunEvents({ keys, now }: { keys: string[]; now: () => Date }): ProviderEvents {
  return {
    maxBytes: BODY_BYTES,
    fix: "Set MAILGUN_SIGNING_KEY to the HTTP webhook signing key of Mailgun, and check the clock of this machine.",
    async read(body) {
      const { data } = signed.safeParse(parsed(body));
      if (!data) return undefined;
      const { timestamp, token, signature } = data.signature;
      const age = now().getTime() - Number(timestamp) * SECOND_MS;
      if (age > AGE_MAX_MS || age < -AHEAD_MAX_MS) return undefined;
      const expected = keys.map((key) =>
        createHmac("sha256", key)
          .update(timestamp + token)
          .digest("hex"),
      );
      return isOneOf(expected, signature.toLowerCase()) ? [eventOf(token, data["event-data"])] : undefined;
    },
    async close() {},
  };
}
