// Creates where payments are off: they send the database nothing that is about payments.
import { afterAll, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { recordStatements } from "#test/support/statements.ts";

const ABOUT_PAYMENTS = /\b(payments|prepaid|paid_provisioning)\b/;

const first = await startTestService({ ROLES: "web" });
const recorded = await recordStatements(first.database.url);
const service = await startTestService({ ROLES: "web" }, { database: { ...first.database, url: recorded.url } });
const client = api(service);

afterAll(async () => {
  await client.close();
  await service.stop();
  await recorded.close();
  await first.stop();
});

const aboutPayments = () => recorded.statements.filter((statement) => ABOUT_PAYMENTS.test(statement));

test("no statement of any create names payments; one that does is seen", async () => {
  const { agentKey } = await first.newOrganization({ maxMailboxes: 3 });
  recorded.statements.length = 0;
  const inbound_webhook_url = "http://127.0.0.1:9/hook";
  const post = (body: object, headers = {}) => client.post("/v1/inboxes", body, { key: agentKey, headers });
  const answers = [
    await post({}),
    await post({ client_id: "one", inbound_webhook_url }),
    await post({ client_id: "one" }),
    await post({ username: "paying" }, { "PAYMENT-SIGNATURE": Buffer.from("{}").toString("base64") }),
    await post({}),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 409]);
  expect(recorded.statements.filter((statement) => /insert into "?inboxes/.test(statement))).not.toEqual([]);
  expect(aboutPayments()).toEqual([]);
  await service.system.sql`select id from payments limit 1`;
  expect(aboutPayments()).toHaveLength(1);
});
