// With BLOBS=s3, mail and attachments are objects before they are acknowledged, and every reader gets them back.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { type S3, startS3 } from "#test/support/s3/start.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";
import { untilAccepted } from "./rig.ts";

const ROLES = "web,smtp,worker";
const WORDS = "the words of a mail, which the bucket must not show";
const FILE = Buffer.from([0, 9, 10, 13, 92, 255]);
const attachments = [{ filename: "bytes.bin", content: FILE }];
const sent = [
  { filename: "a.txt", content_type: "text/plain", content_base64: Buffer.from("an attachment").toString("base64") },
];

type Listed = { id: string; status: string; subject: string };
type Message = Listed & { attachments: { id: string }[] };

let s3: S3;
let service: TestService;
let client: ReturnType<typeof api>;
let key: string;
let address: string;
beforeAll(async () => {
  s3 = await startS3();
  service = await startTestService({ ROLES, ...s3.settings });
  client = api(service);
  key = (await service.newOrganization()).agentKey;
  address = (await client.createInbox(key)).address;
});
afterEach(() => s3.break(undefined));
afterAll(async () => {
  s3.break(undefined);
  await client.close();
  await service.stop();
  await s3.stop();
});

const list = async (of = address, by = key) =>
  (await client.get<Page<Listed>>(inboxPath(of, "/messages?limit=100"), { key: by })).body.data;

/** The newest message of the mailbox with the subject, in its final state. */
const finished = (subject: string, status: string, of = address, by = key) =>
  eventually(async () => {
    const found = (await list(of, by)).find((message) => message.subject === subject);
    expect(found?.status).toBe(status);
    return (await client.get<Message>(`/v1/messages/${found?.id}`, { key: by })).body;
  });

const placesOf = async (subject: string) => {
  return service.system.sql<{ bytes: Buffer | null; blob: string | null; organization_id: string }[]>`
    select r.bytes, r.blob, r.organization_id from raw_messages r join messages m on m.id = r.message_id
    where m.subject = ${subject} order by m.id`;
};

describe("inbound mail", () => {
  it("is an object when the 250 comes, and is parsed, downloaded and extracted from there", async () => {
    await untilAccepted(service, { from: "a@far.example", to: address, subject: "one", text: WORDS, attachments });
    const [place] = await placesOf("one");
    expect(place).toMatchObject({ bytes: null, blob: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const objectKey = `${place?.organization_id}/${place?.blob}`;
    expect(await s3.objects()).toContain(objectKey);
    expect((await s3.read(objectKey)).includes("words")).toBe(false);
    const { id, attachments: files } = await finished("one", "parsed");
    const raw = await client.get(`/v1/messages/${id}/raw`, { key });
    expect([raw.status, raw.text]).toEqual([200, expect.stringContaining(WORDS)]);
    const file = await fetch(`${service.url}/v1/messages/${id}/attachments/${files[0]?.id}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(Buffer.from(await file.arrayBuffer())).toEqual(FILE);
  });

  it("that several mailboxes of an organization get is one object, and another one for another organization", async () => {
    const second = (await client.createInbox(key)).address;
    const other = await service.newOrganization();
    const theirs = (await client.createInbox(other.agentKey)).address;
    await untilAccepted(service, {
      from: "a@far.example",
      to: [address, second, theirs],
      subject: "many",
      text: WORDS,
    });
    const places = await placesOf("many");
    expect(places).toHaveLength(3);
    expect(new Set(places.map(({ blob }) => blob)).size).toBe(2);
    const objects = await s3.objects();
    for (const place of places) expect(objects).toContain(`${place.organization_id}/${place.blob}`);
    await finished("many", "parsed", theirs, other.agentKey);
  });

  it("without a body that can be parsed from memory is parsed again from its object", async () => {
    await untilAccepted(service, { from: "a@far.example", to: address, subject: "again", text: WORDS });
    const { id } = await finished("again", "parsed");
    await service.system.sql`
      update messages set status = 'received', next_attempt_at = now(), text = null where subject = 'again'`;
    service.system.signals.raise("bodies");
    await finished("again", "parsed");
    const { body } = await client.get<{ text: string }>(`/v1/messages/${id}`, { key });
    expect(body.text).toContain(WORDS);
  });

  it.each([
    ["down" as const, 451],
    [{ status: 503, code: "SlowDown" }, 451],
    [{ status: 403, code: "AccessDenied" }, 451],
    [{ status: 507, code: "InsufficientStorage" }, 452],
    ["hang" as const, 451],
  ])("is deferred while S3 is %j, is not stored, and is accepted afterwards", async (fault, responseCode) => {
    const subject = `deferred ${JSON.stringify(fault)}`;
    const mail = { from: "a@far.example", to: address, subject, text: WORDS };
    s3.break(fault);
    const refused = service.mail(mail);
    const refusal = expect(refused).rejects.toMatchObject({ responseCode });
    // What is in PostgreSQL is read at the same time.
    expect((await client.get(inboxPath(address), { key })).status).toBe(200);
    await refusal;
    expect(await placesOf(subject)).toEqual([]);
    s3.break(undefined);
    await untilAccepted(service, mail);
    await finished(subject, "parsed");
  });
});

describe("slow S3", () => {
  it("delays mail of the organization whose object it is, and no other mail", async () => {
    const other = await service.newOrganization();
    const theirs = (await client.createInbox(other.agentKey)).address;
    const held = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const folder = decodeId("org", other.organizationId) ?? "";
    s3.break(async ({ url }) => {
      if (!url?.includes(folder)) return;
      arrived.resolve();
      await held.promise;
    });
    const slow = { from: "a@far.example", to: theirs, subject: "slow", text: WORDS };
    // After 10 s it is deferred.
    const first = service.mail(slow).then(
      () => "accepted",
      () => "deferred",
    );
    await arrived.promise;
    await untilAccepted(service, { from: "a@far.example", to: address, subject: "beside", text: WORDS });
    expect(await placesOf("slow")).toEqual([]);
    held.resolve();
    if ((await first) === "deferred") await eventually(() => service.mail(slow));
    await finished("slow", "parsed", theirs, other.agentKey);
    await finished("beside", "parsed");
  });
});

describe("attachments", () => {
  const send = (json: object, headers = {}) => client.post<Sent>(inboxPath(address, "/send"), json, { key, headers });

  it("of a sent message are objects, and reach the recipient", async () => {
    const to = (await client.createInbox(key)).address;
    const { status } = await send({ to, subject: "with a file", text: "see", attachments: sent });
    expect(status).toBe(202);
    const { id, attachments: files } = await finished("with a file", "parsed", to);
    const file = await client.get(`/v1/messages/${id}/attachments/${files[0]?.id}`, { key });
    expect(file.text).toBe("an attachment");
    const text = await client.get(`/v1/messages/${id}/attachments/${files[0]?.id}/text`, { key });
    expect(text.text).toContain("an attachment");
    const own = await finished("with a file", "delivered");
    const mine = await client.get(`/v1/messages/${own.id}/attachments/${own.attachments[0]?.id}`, { key });
    expect(mine.text).toBe("an attachment");
    const places = await service.system.sql`select bytes from attachments where blob is not null`;
    expect(places).toEqual([{ bytes: null }]);
  });

  it("of a draft, of its message, and of a forward are objects", async () => {
    const to = (await client.createInbox(key)).address;
    const fields = { to, subject: "drafted", text: "see", attachments: sent };
    const draft = await client.post<{ id: string; revision: number }>(
      "/v1/drafts",
      { inbox: address, ...fields },
      { key },
    );
    expect(draft.status).toBe(201);
    const { id, revision } = draft.body;
    expect((await client.post(`/v1/drafts/${id}/send`, { revision }, { key })).status).toBe(202);
    const got = await finished("drafted", "parsed", to);
    const onward = (await client.createInbox(key)).address;
    expect((await client.post(`/v1/messages/${got.id}/forward`, { to: onward }, { key })).status).toBe(202);
    const forwarded = await finished("Fwd: drafted", "parsed", onward);
    const file = await client.get(`/v1/messages/${forwarded.id}/attachments/${forwarded.attachments[0]?.id}`, { key });
    expect(file.text).toBe("an attachment");
    expect(await service.system.sql`select 1 from attachments where bytes is not null`).toEqual([]);
  });

  it.each([
    ["down" as const, "does not answer"],
    [{ status: 507, code: "InsufficientStorage" }, "is full"],
  ])("are refused with 503 while S3 is %j, and nothing is stored", async (fault, words) => {
    const before = (await list()).length;
    s3.break(fault);
    const message = { to: "b@far.example", subject: "not stored", text: "see", attachments: sent };
    const answer = await send(message);
    expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "10" } });
    expect(answer.body).toMatchObject({ error: { code: "unavailable", message: expect.stringContaining(words) } });
    const draft = await client.post("/v1/drafts", { inbox: address, ...message }, { key });
    expect([draft.status, (await list()).length]).toEqual([503, before]);
    // A message without attachments needs no object.
    expect((await send({ to: "b@far.example", subject: "no file", text: "see" })).status).toBe(202);
  });

  it("of a message that is refused are not written", async () => {
    const before = s3.requests.length;
    const refused = await send({
      to: "b@far.example",
      subject: "x",
      text: "x",
      attachments: sent,
      list_unsubscribe: true,
      cc: "c@far.example",
    });
    expect(refused.status).toBe(400);
    const blocked = await client.post("/v1/lists/send/block", { entry: "blocked.example" }, { key });
    expect(blocked.status).toBe(201);
    const toBlocked = await send({ to: "b@blocked.example", subject: "x", text: "x", attachments: sent });
    expect([toBlocked.status, s3.requests.length]).toEqual([403, before]);
  });

  it("of a message that a member approves leave as they were approved", async () => {
    const { agentKey, organizationId } = await service.newOrganization();
    const from = (await client.createInbox(agentKey)).address;
    const owner = await newOwner(service, organizationId);
    await owner.trpc.reviews.setPolicy.mutate({ review: "all" });
    const message = { to: address, subject: "approved", text: "see", attachments: sent };
    const { body } = await client.post<Sent>(inboxPath(from, "/send"), message, { key: agentKey });
    expect(body.status).toBe("held");
    const { sha256 } = await owner.trpc.reviews.get.query({ id: body.id });
    await owner.trpc.reviews.approve.mutate({ id: body.id, sha256 });
    const got = await finished("approved", "parsed");
    const file = await client.get(`/v1/messages/${got.id}/attachments/${got.attachments[0]?.id}`, { key });
    expect(file.text).toBe("an attachment");
  });

  it("that cannot be read when the message is due are sent later", async () => {
    const to = (await client.createInbox(key)).address;
    const isGet = (req: { method?: string | undefined }) => (req.method === "GET" ? ("down" as const) : undefined);
    s3.break(isGet);
    const { body } = await send({ to, subject: "later", text: "see", attachments: sent });
    await eventually(async () => {
      const [row] = await service.system
        .sql`select status, error from messages where subject = 'later' and direction = 'outbound'`;
      expect(row).toMatchObject({ status: "queued", error: expect.stringContaining("could not be read") });
    });
    s3.break(undefined);
    await service.system.sql`update messages set next_attempt_at = now() where subject = 'later'`;
    service.system.signals.raise("outbound");
    await finished("later", "parsed", to);
    expect(body.status).toBe("queued");
  });
});
