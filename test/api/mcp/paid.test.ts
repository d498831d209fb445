// create_inbox where the organization pays: the error has the payment requirements, and a payment in the header is taken.

import { afterAll, expect, test } from "vitest";
import { withoutRequest } from "#test/support/api.ts";
import { payloadV2 } from "#test/support/payments/signing.ts";
import { startPaying } from "../../payments/rig.ts";
import { ACCEPT, callOf, connect } from "./rig.ts";

const rig = await startPaying({ ROLES: "web" });
afterAll(rig.stop);

test("402 is an error with the terms of REST", async () => {
  const { key } = await rig.newOrganization();
  const { call, close, client } = await connect(rig.service, key);
  await client.listTools();
  const { isError, body } = await call("create_inbox");
  const { error, ...terms } = (await rig.create(key)).body;
  expect(isError).toBe(true);
  expect(withoutRequest(body)).toEqual({ ...withoutRequest(error), retry_after_seconds: null, ...terms });
  expect(body).toMatchObject({ code: "payment_required", payment: { resource: "mailboxes:1" } });
  await close();
});

test("a payload in PAYMENT-SIGNATURE pays for the call", async () => {
  const { key } = await rig.newOrganization();
  const payload = payloadV2(await rig.sign());
  const headers = { accept: ACCEPT, "payment-signature": payload };
  const answer = await rig.client.exchange("POST", "/mcp", { key, json: callOf("create_inbox"), headers });
  expect(JSON.parse(answer.text).result.structuredContent).toMatchObject({ status: "live" });
  expect(answer.headers["payment-response"]).toBeTruthy();
});
