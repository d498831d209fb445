// The signature of a delivery, checked by verifiers that are not the signer: npm `stripe`, npm `standardwebhooks` and our client.
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { verifyWebhook } from "#client/verify-webhook.ts";
import { newSigningSecret } from "#server/base/secrets.ts";
import { deliveryHeaders, signatureHeader } from "#server/webhooks/delivery/sign.ts";

const BODY = JSON.stringify({
  event: "message.received",
  inbox: "a@b.example",
  message: { subject: "Grüße \u{1f44b}" },
});
const now = () => Math.floor(Date.now() / 1000);

describe("signature header", () => {
  test("is the scheme of the specification, to the byte", () => {
    expect(signatureHeader(["whsec_test"], 1_700_000_000, '{"a":1}')).toBe(
      "t=1700000000,v1=38877139021993b830af32feea6e18a8da83eb2f6e49ee50bd9e4cf4ca4d3789",
    );
  });

  test("verifies with stripe and with our client", () => {
    const secret = newSigningSecret();
    const header = signatureHeader([secret], now(), BODY);
    expect(Stripe.webhooks.constructEvent(BODY, header, secret)).toEqual(JSON.parse(BODY));
    expect(verifyWebhook(BODY, header, secret)).toEqual(JSON.parse(BODY));
  });

  test("of two secrets verifies with either", () => {
    const [fresh, old] = [newSigningSecret(), newSigningSecret()];
    const header = signatureHeader([fresh, old], now(), BODY);
    expect(header).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    for (const secret of [fresh, old]) {
      expect(Stripe.webhooks.constructEvent(BODY, header, secret)).toEqual(JSON.parse(BODY));
      expect(verifyWebhook(BODY, header, secret)).toEqual(JSON.parse(BODY));
    }
  });
});

test("headers carry the service's name and the ids of the delivery and of the event", () => {
  const delivery = {
    id: "0190163d-8694-739b-aea5-966c26f8ad91",
    event_id: "0190163d-8694-739b-aea5-966c26f8ad92",
    event_kind: "message.received",
    body: BODY,
    format: null,
  };
  const list = deliveryHeaders("Acme", delivery, ["whsec_x"], new Date(1_700_000_000_999));
  const headers = Object.fromEntries(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]]] : [])));
  expect(headers).toEqual({
    "Content-Type": "application/json",
    "User-Agent": expect.stringMatching(/^Mailberth\/\d+\.\d+\.\d+/),
    "X-Acme-Signature": signatureHeader(["whsec_x"], 1_700_000_000, BODY),
    "X-Acme-Event": "message.received",
    "X-Acme-Delivery": "dlv_01j0b3v1mmeedtx9cpdgkfhbch",
    "X-Acme-Event-Id": "evt_01j0b3v1mmeedtx9cpdgkfhbcj",
    "webhook-id": "evt_01j0b3v1mmeedtx9cpdgkfhbcj",
    "webhook-timestamp": "1700000000",
    "webhook-signature": expect.stringMatching(/^v1,[\w+/]{43}=$/),
  });
});

test("the headers verify with standardwebhooks, with either of two secrets", () => {
  const event_id = "0190163d-8694-739b-aea5-966c26f8ad91";
  const delivery = { id: event_id, event_id, event_kind: "message.received", body: BODY, format: null };
  const [fresh, old, other] = [newSigningSecret(), newSigningSecret(), newSigningSecret()];
  const list = deliveryHeaders("Acme", delivery, [fresh, old], new Date());
  const headers = Object.fromEntries(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1] ?? ""]] : [])));
  expect(headers["webhook-id"]).toBe(headers["X-Acme-Event-Id"]);
  for (const secret of [fresh, old]) expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
  expect(() => new Webhook(other).verify(BODY, headers)).toThrow("No matching signature");
  expect(() => new Webhook(fresh).verify(`${BODY} `, headers)).toThrow("No matching signature");
});
