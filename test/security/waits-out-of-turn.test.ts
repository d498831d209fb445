// Reads that wait until a mail is parsed leave their turns: other organizations are answered during the wait.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "#db/client.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

/** Half of them are for reads. */
const CONNECTIONS = 6;
const ORGANIZATIONS = 3;
const FILE = { filename: "a.txt", content: Buffer.from("file") };

type Item = { id: string; thread_id: string; attachments: { id: string }[] };

let rig: Awaited<ReturnType<typeof open>>;
async function open() {
  const database = await createTestDatabase();
  const service = await startTestService({ DATABASE_POOL_SIZE: String(CONNECTIONS) }, { database });
  return { database, service, client: api(service), direct: openDatabase({ url: database.url, poolSize: 1 }) };
}
beforeAll(async () => {
  rig = await open();
});
afterAll(async () => {
  await rig.client.close();
  await rig.service.stop();
  await rig.direct.close();
  await rig.database.drop();
});

async function organizationWithMail() {
  const { agentKey: key } = await rig.service.newOrganization();
  const { address } = await rig.client.createInbox(key);
  await rig.service.mail({ from: "a@else.example", to: address, subject: "slow", attachments: [FILE] });
  const message = await eventually(async () => {
    const { body } = await rig.client.get<Page<{ id: string }>>(inboxPath(address, "/messages"), { key });
    const { body: whole } = await rig.client.get<Item>(`/v1/messages/${body.data[0]?.id}`, { key });
    expect(whole.attachments).toHaveLength(1);
    return whole;
  });
  return { key, message };
}

/** As while another process parses the mail of the others. */
async function unparse() {
  await rig.direct
    .sql`update messages set status = 'received', reading = null, next_attempt_at = now() + interval '1 hour'`;
}

const parse = () => rig.direct.sql`update messages set status = 'parsed', reading = null, next_attempt_at = null`;

test("reads of three organizations that wait for parsing do not hold the turns of a fourth", async () => {
  const { agentKey: key } = await rig.service.newOrganization();
  const { address } = await rig.client.createInbox(key);
  const slow = await Promise.all(Array.from({ length: ORGANIZATIONS }, organizationWithMail));
  await unparse();
  const reads = slow.flatMap(({ key, message: { id, thread_id, attachments } }) =>
    [id, `${id}/attachments/${attachments[0]?.id}`, `${id}/attachments/${attachments[0]?.id}/text`]
      .map((path) => `/v1/messages/${path}`)
      .concat(`/v1/threads/${thread_id}`)
      .map((path) => rig.client.exchange("GET", path, { key })),
  );
  await eventually(async () => {
    const { text } = await rig.client.exchange("GET", "/health/ready", {});
    expect(JSON.parse(text).queries).toEqual({ running: 0, waiting: reads.length });
  });
  expect((await rig.client.get(inboxPath(address, "/messages"), { key })).status).toBe(200);
  await parse();
  expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]));
});
