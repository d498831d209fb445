// `blobs move` takes content to S3 and back while the service runs; both places are read in the meantime.
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCommand } from "#server/admin.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { type S3, startS3 } from "#test/support/s3/start.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

const MAILS = 9;
const file = {
  filename: "a.txt",
  content_type: "text/plain",
  content_base64: Buffer.from("a file").toString("base64"),
};
let s3: S3;
let service: TestService;
let client: ReturnType<typeof api>;
let key: string;
let address: string;
beforeAll(async () => {
  s3 = await startS3();
  service = await startTestService({ ROLES: "web,smtp,worker", ...s3.settings, BLOBS: "postgres" });
  client = api(service);
  key = (await service.newOrganization()).agentKey;
  address = (await client.createInbox(key)).address;
  for (let n = 0; n < MAILS; n += 1) {
    await service.mail({ from: "a@far.example", to: address, subject: `${n}`, text: `the text of ${n}` });
  }
  const message = { to: "b@far.example", subject: "sent", text: "see", attachments: [file] };
  expect((await client.post(inboxPath(address, "/send"), message, { key })).status).toBe(202);
  await eventually(async () => {
    const { data } = (await client.get<Page<{ status: string }>>(inboxPath(address, "/messages"), { key })).body;
    expect(data.filter(({ status }) => status === "parsed")).toHaveLength(MAILS);
  });
});
afterAll(async () => {
  await client.close();
  await service.stop();
  await s3.stop();
});

async function move(to: string) {
  const { DATA_DIR, ENCRYPTION_KEY } = service.settings;
  const out: string[] = [];
  const err: string[] = [];
  const own = {
    DATA_DIR,
    ENCRYPTION_KEY: ENCRYPTION_KEY?.toString("base64") ?? "",
    DATABASE_URL: service.database.url,
  };
  const code = await runCommand(["blobs", "move", "--to", to, "--json"], {
    environment: { NODE_ENV: "test", ...own, ...s3.settings, BLOBS: "postgres" },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, stdout: out.join(""), stderr: err.join("") };
}

/** The bytes of every mail and attachment, as callers get them. */
async function contents(): Promise<string[]> {
  const { data } = (await client.get<Page<{ id: string; direction: string }>>(inboxPath(address, "/messages"), { key }))
    .body;
  return Promise.all(
    data.map(async ({ id, direction }) => {
      if (direction === "inbound") return (await client.get(`/v1/messages/${id}/raw`, { key })).text;
      const { body } = await client.get<{ attachments: { id: string }[] }>(`/v1/messages/${id}`, { key });
      return (await client.get(`/v1/messages/${id}/attachments/${body.attachments[0]?.id}`, { key })).text;
    }),
  );
}

async function places() {
  const [row] = await service.system.sql<{ rows: number; objects: number }[]>`
    select count(bytes)::int as rows, count(blob)::int as objects
    from (select bytes, blob from raw_messages union all select bytes, blob from attachments) as all_of_them`;
  return row;
}

it("moves all content to S3 and back, and every byte is the same", async () => {
  const before = await contents();
  expect(before).toContain("a file");
  expect(await places()).toEqual({ rows: MAILS + 1, objects: 0 });
  const there = await move("s3");
  expect([there.code, JSON.parse(there.stdout)]).toEqual([0, { moved: MAILS + 1, unreadable: 0 }]);
  expect(there.stderr).toContain(`raw_messages: ${MAILS} contents moved in all`);
  expect(await places()).toEqual({ rows: 0, objects: MAILS + 1 });
  expect(await contents()).toEqual(before);
  expect(JSON.parse((await move("s3")).stdout)).toEqual({ moved: 0, unreadable: 0 });
  const back = await move("postgres");
  expect(JSON.parse(back.stdout)).toEqual({ moved: MAILS + 1, unreadable: 0 });
  expect(await places()).toEqual({ rows: MAILS + 1, objects: 0 });
  expect(await contents()).toEqual(before);
});

it("leaves the rest where it is when S3 fails, and moves it when it is called again", async () => {
  const before = await contents();
  let puts = 0;
  s3.break((req) => (req.method === "PUT" && ++puts > 4 ? "down" : undefined));
  const failed = await move("s3");
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("does not answer") });
  expect(await contents()).toEqual(before);
  s3.break(undefined);
  expect((await move("s3")).code).toBe(0);
  expect(await places()).toEqual({ rows: 0, objects: MAILS + 1 });
  expect(await contents()).toEqual(before);
});

it("counts what is lost, and moves the others", async () => {
  const [lost = ""] = await s3.objects();
  await s3.lose(lost);
  const { code, stdout } = await move("postgres");
  expect([code, JSON.parse(stdout)]).toEqual([0, { moved: MAILS, unreadable: 1 }]);
  expect(await places()).toEqual({ rows: MAILS, objects: 1 });
});

it("says what it needs", async () => {
  expect(await move("disk")).toMatchObject({ code: 1, stderr: "--to is needed: postgres or s3\n" });
});
