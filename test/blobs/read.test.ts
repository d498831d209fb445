// What callers get when S3 lost a content, returns something else, or is away: an error with a name, never other bytes, and
// everything that is in the database.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { type S3, startS3 } from "#test/support/s3/start.ts";
import { METRICS_TOKEN, startTestService, type TestService } from "#test/support/service.ts";
import { untilAccepted } from "./rig.ts";

const WORDS = "the words of the mail";
const attachments = [{ filename: "a.txt", content: Buffer.from("in the file"), contentType: "text/plain" }];

type Message = { id: string; status: string; text: string; attachments: { id: string }[] };

let s3: S3;
let service: TestService;
let client: ReturnType<typeof api>;
let key: string;
let message: Message;
let objectKey: string;
let address: string;
beforeAll(async () => {
  s3 = await startS3();
  service = await startTestService({ ROLES: "web,smtp,worker", ...s3.settings });
  client = api(service);
  key = (await service.newOrganization()).agentKey;
  address = (await client.createInbox(key)).address;
  await untilAccepted(service, { from: "a@far.example", to: address, subject: "read", text: WORDS, attachments });
  message = await eventually(async () => {
    const [first] = (await client.get<Page<{ id: string }>>(inboxPath(address, "/messages"), { key })).body.data;
    const { body } = await client.get<Message>(`/v1/messages/${first?.id}`, { key });
    expect(body.status).toBe("parsed");
    return body;
  });
  [objectKey = ""] = await s3.objects();
});
afterEach(() => s3.break(undefined));
afterAll(async () => {
  await client.close();
  await service.stop();
  await s3.stop();
});

const file = () => `/v1/messages/${message.id}/attachments/${message.attachments[0]?.id}`;
const forward = () => client.post(`/v1/messages/${message.id}/forward`, { to: "b@far.example" }, { key });

/** Of everything that needs the content. */
const answers = () =>
  Promise.all([
    client.get(`/v1/messages/${message.id}/raw`, { key }),
    client.get(file(), { key }),
    client.get(`${file()}/text`, { key }),
    forward(),
  ]);

async function expectReadable(): Promise<void> {
  const { status, body } = await client.get<Message>(`/v1/messages/${message.id}`, { key });
  expect([status, body.text]).toEqual([200, expect.stringContaining(WORDS)]);
  const found = await client.get<Page<object>>("/v1/messages?q=words&from=a@far.example", { key });
  expect(found.body.data).toHaveLength(1);
  expect((await client.post(`/v1/messages/${message.id}/reply`, { text: "Thanks." }, { key })).status).toBe(202);
}

async function expectUnreadable(): Promise<void> {
  for (const { status, body, text } of await answers()) {
    expect([status, body.error.code]).toEqual([500, "content_unreadable"]);
    expect(text).not.toContain(objectKey.slice(-64));
  }
  await expectReadable();
}

describe("content_unreadable", () => {
  it("is the error when the object was altered", async () => {
    const whole = await s3.read(objectKey);
    const altered = Buffer.from(whole);
    altered[40] = (altered[40] ?? 0) ^ 1;
    await s3.write(objectKey, altered);
    await expectUnreadable();
    await s3.write(objectKey, whole);
    // A busy machine answers 503 when a file is not extracted in time.
    await eventually(async () => expect((await answers()).map(({ status }) => status)).toEqual([200, 200, 200, 202]));
  });

  it("is the error when S3 answers 200 with something else", async () => {
    s3.break(({ method }) => (method === "GET" ? { status: 200, body: "<html>Please sign in</html>" } : undefined));
    await expectUnreadable();
  });

  it("is the error when the object is lost, until it is back", async () => {
    const whole = await s3.read(objectKey);
    await s3.lose(objectKey);
    await expectUnreadable();
    const metrics = await fetch(`${service.url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } });
    expect(await metrics.text()).toMatch(/mailberth_blob_requests_total\{operation="get",outcome="missing"\} [1-9]/);
    await s3.write(objectKey, whole);
    expect((await client.get(file(), { key })).text).toBe("in the file");
  });

  it("is the error of a process with another ENCRYPTION_KEY, and of one without settings for S3", async () => {
    const { database } = service;
    const other = { ENCRYPTION_KEY: Buffer.alloc(32, 9).toString("base64") };
    for (const settings of [{ ...s3.settings, ...other }, {}]) {
      const second = await startTestService({ ROLES: "web", ...settings }, { database });
      const theirs = api(second);
      const raw = await theirs.get(`/v1/messages/${message.id}/raw`, { key });
      const read = await theirs.get<Message>(`/v1/messages/${message.id}`, { key });
      await theirs.close();
      await second.stop();
      expect([raw.status, raw.body.error.code]).toEqual([500, "content_unreadable"]);
      expect([read.status, read.body.text]).toEqual([200, expect.stringContaining(WORDS)]);
    }
  });
});

describe("unavailable", () => {
  it.each([["down" as const], [{ status: 503, code: "SlowDown" }], [{ status: 404, code: "NoSuchBucket" }]])(
    "is the error while S3 is %j",
    async (fault) => {
      s3.break(({ method }) => (method === "GET" ? fault : undefined));
      for (const { status, body, headers } of await answers()) {
        expect([status, body.error.code, headers["retry-after"]]).toEqual([503, "unavailable", "10"]);
      }
      await expectReadable();
    },
  );
});
