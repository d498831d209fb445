// A process is killed when S3 has stored the object of a mail, and before the mail was acknowledged: no acknowledged mail is lost,
// and no object is left after the sweep.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect } from "#db/client.ts";
import { runCommand } from "#server/admin.ts";
import { size } from "#test/sizes.ts";
import { type S3, startS3 } from "#test/support/s3/start.ts";
import { mailUntil, startProcesses } from "./two-rig.ts";

const KILLS = size("BLOB_KILLS");
const MAILERS = 4;
/** Objects of each round before the one at which the process is killed. */
const MAILS_BEFORE = 10;
const TEST_TIMEOUT_MS = 3_600_000;

let s3: S3;
let service: Awaited<ReturnType<typeof startProcesses>>;
let sql: ReturnType<typeof connect>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mailberth-killed-blobs-"));
  s3 = await startS3();
  service = await startProcesses(1, s3.settings);
  sql = connect(service.databaseUrl, { max: 1 });
});
afterAll(async () => {
  await sql?.end();
  await service?.stop();
  await s3?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Kills the process when the object of a mail is stored; some mails after this call. */
async function killAtObject(n: number): Promise<void> {
  let puts = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const whenDone = () => resolve(service.kill(0));
  s3.break(({ method }) => {
    if (method !== "PUT") return undefined;
    puts += 1;
    // With the answer, the process may commit before it dies.
    return puts === MAILS_BEFORE + (n % 5) ? { whenDone, isAnswered: n % 2 === 0 } : undefined;
  });
  await promise;
  s3.break(undefined);
}

async function sweep(): Promise<{ objects: number; unreferenced: number; removed: number; waiting: number }> {
  const out: string[] = [];
  const code = await runCommand(["blobs", "sweep", "--grace", "none", "--json"], {
    environment: {
      NODE_ENV: "test",
      DATA_DIR: folder,
      DATABASE_URL: service.databaseUrl,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
      ...s3.settings,
    },
    stdout: { write: (text) => out.push(text) },
    stderr: process.stderr,
  });
  expect(code).toBe(0);
  return JSON.parse(out.join(""));
}

it(
  `${KILLS} kills lose nothing that was acknowledged, and leave no object behind`,
  async () => {
    const { address } = await service.client(0).inboxes.create.mutate({});
    const until = { over: false };
    const accepted: string[] = [];
    const mailing = Array.from({ length: MAILERS }, () =>
      mailUntil(
        () => service.at(0),
        address,
        until,
        (id) => accepted.push(id),
      ),
    );
    for (let n = 0; n < KILLS; n += 1) {
      await killAtObject(n);
      await service.start(0);
    }
    until.over = true;
    await Promise.all(mailing);
    expect(accepted.length).toBeGreaterThan(KILLS);
    for (const id of accepted) {
      const raw = await fetch(`${service.at(0).url}/v1/messages/${id}/raw`, {
        headers: { Authorization: `Bearer ${service.key}` },
      });
      expect([id, raw.status]).toEqual([id, 200]);
      expect(await raw.text()).toContain("verification code");
    }
    await service.at(0).end("SIGTERM");
    const swept = await sweep();
    expect(swept).toMatchObject({ removed: swept.unreferenced, waiting: 0 });
    const rows = await sql<{ key: string }[]>`
      select distinct organization_id || '/' || blob as key from raw_messages order by 1`;
    expect(await s3.objects()).toEqual(rows.map(({ key }) => key));
  },
  TEST_TIMEOUT_MS,
);
