// One delivery, as its endpoint got it, is verified unmodified by the libraries of others: standardwebhooks, svix and stripe.
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, expect, test } from "vitest";
import { eventually } from "#test/support/events.ts";
import { startRig, verify } from "./rig.ts";

const rig = await startRig();
afterAll(rig.close);

/** Throws unless the signature is right. */
type Verifier = (body: string, headers: Record<string, string>, secret: string) => void;
const VERIFIERS: [string, Verifier][] = [
  ["standardwebhooks", (body, headers, secret) => new StandardWebhook(secret).verify(body, headers)],
  ["svix", (body, headers, secret) => new SvixWebhook(secret).verify(body, headers)],
  [
    "stripe",
    (body, headers, secret) => Stripe.webhooks.constructEvent(body, headers["x-service-signature"] ?? "", secret),
  ],
];

const { inbox, receiver, webhook } = await rig.furnished();
const { secret } = webhook;
await rig.service.mail({ from: "a@far.example", to: inbox.address, subject: "Grüße \u{1f44b}" });
const delivery = await eventually(() => {
  const [first] = receiver.received;
  if (!first) throw new Error("nothing was delivered");
  return first;
});
const headers = Object.fromEntries(Object.entries(delivery.headers).map(([name, value]) => [name, String(value)]));

test.each(VERIFIERS)("%s verifies it, and refuses a changed one and another secret", (_name, check) => {
  expect(verify(delivery, secret)).toMatchObject({ event: "message.received", inbox: inbox.address });
  check(delivery.body, headers, secret);
  expect(() => check(`${delivery.body} `, headers, secret)).toThrow();
  expect(() => check(delivery.body, headers, `whsec_${Buffer.alloc(32, 7).toString("base64")}`)).toThrow();
});
