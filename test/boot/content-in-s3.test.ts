// `backup` says what is in S3 and not in its file; `organizations export` has all content, and an import reads without S3.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type InS3, startInS3 } from "#test/blobs/rig.ts";
import { api } from "#test/support/api.ts";
import { createEmptyDatabase, createTestDatabase } from "#test/support/database.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

const MAILS = 3;
const OTHER_KEY = Buffer.alloc(32, 8).toString("base64");
let folder: string;
let rig: InS3;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mailberth-content-"));
  await writeFile(join(folder, "transfer.key"), Buffer.alloc(32, 5).toString("base64"));
  rig = await startInS3();
  await rig.fill(MAILS);
});
afterAll(async () => {
  await rig?.stop();
  await rm(folder, { recursive: true });
});

/** What the API of another database has. */
async function contentsIn(database: TestService["database"], settings: Record<string, string>): Promise<string[]> {
  const second = await startTestService({ ROLES: "web", ...settings }, { database });
  const theirs = api(second);
  const found = await rig.contents(theirs);
  await theirs.close();
  await second.stop();
  await database.drop();
  return found;
}

test("a backup counts what is in S3, and its restore reads it from there", async () => {
  const path = join(folder, "whole.backup");
  const { code, stdout, stderr } = await rig.admin(["backup", path]);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { in_s3: MAILS + 1 }]);
  expect(stderr).toContain(`${MAILS + 1} contents of mail and attachments are in S3, and not in this file.`);
  const database = await createEmptyDatabase();
  expect((await rig.admin(["restore", path], { DATABASE_URL: database.url })).code).toBe(0);
  expect(await contentsIn(database, rig.s3.settings)).toEqual(await rig.contents());
});

test("an export has the content of all objects, and an installation without S3 imports it", async () => {
  const keyFile = join(folder, "transfer.key");
  const to = join(folder, "export");
  const exported = await rig.admin(["organizations", "export", rig.organizationId, "--to", to, "--key", keyFile]);
  expect(exported).toMatchObject({ code: 0 });
  const database = await createTestDatabase();
  const elsewhere = { DATABASE_URL: database.url, ENCRYPTION_KEY: OTHER_KEY, BLOBS: "", S3_ENDPOINT: "" };
  const imported = await rig.admin(["organizations", "import", to, "--key", keyFile], elsewhere);
  expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining(`raw_messages: ${MAILS} rows`)]);
  expect(await contentsIn(database, { ENCRYPTION_KEY: OTHER_KEY })).toEqual(await rig.contents());
});

test("an export that cannot read an object fails, and leaves no folder", async () => {
  const [lost = ""] = await rig.s3.objects();
  await rig.s3.lose(lost);
  const to = join(folder, "failed");
  const failed = await rig.admin([
    "organizations",
    "export",
    rig.organizationId,
    "--to",
    to,
    "--key",
    join(folder, "transfer.key"),
  ]);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("NoSuchKey") });
});
