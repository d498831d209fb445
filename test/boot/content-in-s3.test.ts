// `backup` says what is in S3 and not in its file; `organizations export` has all content, and an import reads without S3.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "#server/admin.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { createEmptyDatabase, createTestDatabase } from "#test/support/database.ts";
import { eventually } from "#test/support/events.ts";
import { type S3, startS3 } from "#test/support/s3/start.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

const MAILS = 3;
const OTHER_KEY = Buffer.alloc(32, 8).toString("base64");
const file = {
  filename: "a.txt",
  content_type: "text/plain",
  content_base64: Buffer.from("a file").toString("base64"),
};

let folder: string;
let s3: S3;
let service: TestService;
let client: ReturnType<typeof api>;
let key: string;
let address: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mailberth-content-"));
  await writeFile(join(folder, "transfer.key"), Buffer.alloc(32, 5).toString("base64"));
  s3 = await startS3();
  service = await startTestService({ ROLES: "web,smtp,worker", ...s3.settings });
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
    expect(data.map(({ status }) => status).toSorted()).toEqual([...Array(MAILS).fill("parsed"), "sent"]);
  });
});
afterAll(async () => {
  await client.close();
  await service.stop();
  await s3.stop();
  await rm(folder, { recursive: true });
});

async function run(args: string[], more: Record<string, string> = {}) {
  const { DATA_DIR, DEFAULT_DOMAIN, ENCRYPTION_KEY } = service.settings;
  const out: string[] = [];
  const err: string[] = [];
  const own = { DATA_DIR, DEFAULT_DOMAIN, ENCRYPTION_KEY: ENCRYPTION_KEY?.toString("base64") ?? "" };
  const code = await runCommand([...args, "--json"], {
    environment: { NODE_ENV: "test", ...own, DATABASE_URL: service.database.url, ...s3.settings, ...more },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, stdout: out.join(""), stderr: err.join("") };
}

/** The bytes of every mail and attachment, as callers get them. */
async function contents(of: ReturnType<typeof api>): Promise<string[]> {
  type Listed = { id: string; direction: string };
  const { data } = (await of.get<Page<Listed>>(inboxPath(address, "/messages"), { key })).body;
  return Promise.all(
    data.map(async ({ id, direction }) => {
      if (direction === "inbound") return (await of.get(`/v1/messages/${id}/raw`, { key })).text;
      const { body } = await of.get<{ attachments: { id: string }[] }>(`/v1/messages/${id}`, { key });
      return (await of.get(`/v1/messages/${id}/attachments/${body.attachments[0]?.id}`, { key })).text;
    }),
  );
}

test("a backup counts what is in S3, and its restore reads it from there", async () => {
  const path = join(folder, "whole.backup");
  const { code, stdout, stderr } = await run(["backup", path]);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { in_s3: MAILS + 1 }]);
  expect(stderr).toContain(`${MAILS + 1} contents of mail and attachments are in S3, and not in this file.`);
  const database = await createEmptyDatabase();
  expect((await run(["restore", path], { DATABASE_URL: database.url })).code).toBe(0);
  const second = await startTestService({ ROLES: "web", ...s3.settings }, { database });
  const theirs = api(second);
  expect(await contents(theirs)).toEqual(await contents(client));
  await theirs.close();
  await second.stop();
  await database.drop();
});

test("an export has the content of all objects, and an installation without S3 imports it", async () => {
  const keyFile = join(folder, "transfer.key");
  const to = join(folder, "export");
  const { body } = await client.get<{ org_id: string }>("/v1/auth/me", { key });
  const exported = await run(["organizations", "export", body.org_id, "--to", to, "--key", keyFile]);
  expect(exported).toMatchObject({ code: 0 });
  const database = await createTestDatabase();
  const elsewhere = { DATABASE_URL: database.url, ENCRYPTION_KEY: OTHER_KEY, BLOBS: "", S3_ENDPOINT: "" };
  const imported = await run(["organizations", "import", to, "--key", keyFile], elsewhere);
  expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining(`raw_messages: ${MAILS} rows`)]);
  const second = await startTestService({ ROLES: "web", ENCRYPTION_KEY: OTHER_KEY }, { database });
  const theirs = api(second);
  expect(await contents(theirs)).toEqual(await contents(client));
  await theirs.close();
  await second.stop();
  await database.drop();
});

test("an export that cannot read an object fails, and leaves no folder", async () => {
  const [lost = ""] = await s3.objects();
  await s3.lose(lost);
  const { body } = await client.get<{ org_id: string }>("/v1/auth/me", { key });
  const to = join(folder, "failed");
  const failed = await run(["organizations", "export", body.org_id, "--to", to, "--key", join(folder, "transfer.key")]);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("NoSuchKey") });
});
