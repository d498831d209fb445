// Events of Mailgun, signed as its documentation says.
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { mailgunEvents } from "#server/adapters/mailgun-events.ts";
import { changed, type How, type Kind, type Posted, providerEventsContract, type Taken } from "./contract.ts";
import { startRelay } from "./relay.ts";

const OLD = "key-of-mailgun-0123456789abcdef";
const NEW = "key-of-mailgun-fedcba9876543210";
const SECOND_MS = 1_000;
const HOUR_MS = 60 * 60 * SECOND_MS;

const EVENTS: Record<Kind, object> = {
  delivered: { event: "delivered", "delivery-status": { code: 250, message: "OK" } },
  hard: {
    event: "failed",
    severity: "permanent",
    reason: "bounce",
    "delivery-status": { code: 550, message: "5.1.1 No such user", "bounce-type": "hard" },
  },
  soft: {
    event: "failed",
    severity: "permanent",
    reason: "generic",
    "delivery-status": { code: 552, "enhanced-code": "5.2.2", message: "Mailbox full", "bounce-type": "soft" },
  },
  complained: { event: "complained" },
  failed: { event: "rejected", reject: { reason: "Sandbox subdomains are for test purposes only" } },
  delayed: { event: "failed", severity: "temporary", "delivery-status": { code: 451, message: "4.7.1 Later" } },
  unsubscribed: { event: "unsubscribed" },
  other: { event: "opened" },
};

function signed(key: string, token: string, at: Date, data: object): string {
  const timestamp = String(Math.floor(at.getTime() / SECOND_MS));
  const signature = createHmac("sha256", key)
    .update(timestamp + token)
    .digest("hex");
  return JSON.stringify({ signature: { timestamp, token, signature }, "event-data": data });
}

function dataOf(kind: Kind, { to, messageId }: Taken, at: Date): object {
  const message = { headers: { "message-id": messageId, to, subject: "x" } };
  return { ...EVENTS[kind], id: "an-id-of-the-event", timestamp: at.getTime() / SECOND_MS, recipient: to, message };
}

function report(kind: Kind, mail: Taken, { id, at, isNewKey }: How): Posted {
  const body = signed(isNewKey ? NEW : OLD, id, new Date(), dataOf(kind, mail, at));
  return { body, headers: { "Content-Type": "application/json" } };
}

providerEventsContract("mailgun", async () => {
  const relay = await startRelay();
  return {
    name: "mailgun",
    settings: { ...relay.settings, MAILGUN_SIGNING_KEY: `${OLD},${NEW}` },
    kinds: ["delivered", "hard", "soft", "complained", "failed", "delayed", "unsubscribed", "other"],
    report,
    forge({ body, headers }, nth) {
      const { signature, ...rest } = JSON.parse(body);
      const flipped = (hex: string) => changed(hex, nth).replaceAll("A", "1").replaceAll("B", "2");
      const forged = [
        { ...signature, token: changed(signature.token, nth) },
        { ...signature, timestamp: String(Number(signature.timestamp) - 1) },
        { ...signature, signature: `${flipped(signature.signature).slice(1)}0` },
        { ...signature, signature: undefined },
        JSON.parse(signed(changed(OLD, nth), signature.token, new Date(), {})).signature,
        JSON.parse(signed(OLD, signature.token, new Date(Date.now() - 13 * HOUR_MS), {})).signature,
        JSON.parse(signed(OLD, signature.token, new Date(Date.now() + HOUR_MS), {})).signature,
      ];
      return { body: JSON.stringify({ signature: forged[nth % forged.length], ...rest }), headers };
    },
    taken: relay.taken,
    close: relay.close,
  };
});

test("an event of Mailgun uses its token up, whatever it is", async () => {
  const { read } = mailgunEvents({ keys: [OLD], now: () => new Date() });
  const body = Buffer.from(signed(OLD, "t".repeat(50), new Date(), { event: "opened" }));
  expect(await read(body, {})).toEqual([{ kind: "other", id: `mailgun/${"t".repeat(50)}`, once: true }]);
});
