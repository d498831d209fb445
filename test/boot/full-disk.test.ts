// `backup` and `organizations export` onto a disk that fills: one sentence, no part of a file, and a service that goes on.
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "#server/admin.ts";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { mountTinyDisk, whyNoTinyDisk } from "#test/support/small-disk.ts";

const DISK_KIB = 64;
/** It does not become smaller by compression. */
const ATTACHMENT_BYTES = 256 * 1024;
/** So many that most of a backup is not read yet when the disk is full. */
const MAILS = 12;

const why = whyNoTinyDisk();
if (why) console.log(`skipped: ${why}`);

const service = await startTestService();
const client = api(service);
const { agentKey: key, organizationId } = await service.newOrganization();
const { address } = await client.createInbox(key);
const attachments = [{ filename: "noise.bin", content: randomBytes(ATTACHMENT_BYTES) }];
for (let sent = 0; sent < MAILS; sent += 1)
  await service.mail({ from: "a@far.example", to: address, subject: "large", text: "x", attachments });
const folder = await mkdtemp(join(tmpdir(), "mailberth-full-"));
const keyFile = join(folder, "key");
await writeFile(keyFile, randomBytes(32).toString("base64"));
afterAll(async () => {
  await client.close();
  await service.stop();
  await rm(folder, { recursive: true });
});

async function run(args: string[]) {
  const { DATA_DIR, DEFAULT_DOMAIN, ENCRYPTION_KEY } = service.settings;
  const ENCRYPTION = { ENCRYPTION_KEY: ENCRYPTION_KEY?.toString("base64") ?? "" };
  let stderr = "";
  const code = await runCommand(args, {
    environment: { NODE_ENV: "test", DATA_DIR, DEFAULT_DOMAIN, DATABASE_URL: service.database.url, ...ENCRYPTION },
    stdout: { write: () => {} },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stderr };
}

describe.skipIf(why)("a disk that fills", () => {
  let disk: Awaited<ReturnType<typeof mountTinyDisk>>;
  beforeAll(async () => {
    disk = await mountTinyDisk(DISK_KIB);
  });
  afterAll(() => disk.unmount());

  test.each([
    ["backup", (target: string) => ["backup", target]],
    ["organizations export", (to: string) => ["organizations", "export", organizationId, "--to", to, "--key", keyFile]],
  ])("%s says so in a sentence, and leaves nothing", async (name, command) => {
    const target = join(disk.folder, "target");
    const { code, stderr } = await run(command(target));
    expect(stderr).toContain(
      `The disk of ${target} is full, and nothing was kept of it. Free space, or name a place on another disk, and run the command again.`,
    );
    expect(stderr).not.toContain("ENOSPC");
    expect(code).toBe(1);
    expect(await readdir(disk.folder)).toEqual([]);
    expect((await client.get(`/v1/inboxes/${address}`, { key })).status).toBe(200);
    expect((await run(command(join(folder, name)))).code).toBe(0);
  });
});
