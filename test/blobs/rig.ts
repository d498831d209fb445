// A service whose mail and attachments are in S3, an agent with a mailbox, and the operators' commands.
import { runCommand } from "#server/admin.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import type { Radosgw } from "#test/support/s3/radosgw.ts";
import { startS3 } from "#test/support/s3/start.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

type Settings = Parameters<typeof startTestService>[0];
type Options = Parameters<typeof startTestService>[1];
type Listed = { id: string; direction: string; status: string };
type Client = ReturnType<typeof api>;

export const FILE = "a file";
/** As a caller sends it. */
export const ATTACHMENT = {
  filename: "a.txt",
  content_type: "text/plain",
  content_base64: Buffer.from(FILE).toString("base64"),
};

export type InS3 = Awaited<ReturnType<typeof startInS3>>;

export async function startInS3(settings: Settings = {}, options: Options = {}, radosgw?: Radosgw) {
  const s3 = await startS3(radosgw);
  const service = await startTestService({ ROLES: "web,smtp,worker", ...s3.settings, ...settings }, options);
  const client = api(service);
  const { agentKey: key, organizationId } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  return {
    s3,
    service,
    client,
    key,
    organizationId,
    address,
    /** Runs a command of the operators with `--json`, with the settings for S3 and more of them. */
    admin: (args: string[], more: Record<string, string> = {}) => admin(service, args, { ...s3.settings, ...more }),
    /** The bytes of every mail and attachment, as callers of any service on the database get them. */
    contents: (by = client) => contents(by, { key, address }),
    /** Mails so often, sends one message with an attachment, and waits until all is parsed and sent. */
    fill: (mails: number) => fill({ service, client, key, address }, mails),
    /** How many contents are in rows, and how many in objects. */
    async places() {
      const [row] = await service.system.sql<{ rows: number; objects: number }[]>`
        select count(bytes)::int as rows, count(blob)::int as objects
        from (select bytes, blob from raw_messages union all select bytes, blob from attachments) as all_of_them`;
      return row;
    },
    async stop() {
      s3.break(undefined);
      await client.close();
      await service.stop();
      await s3.stop();
    },
  };
}

/** Mails until it is accepted: an upload that takes 10 s on a busy machine is deferred, and nothing is stored. */
export function untilAccepted(service: TestService, mail: Parameters<TestService["mail"]>[0]): Promise<void> {
  return eventually(() => service.mail(mail));
}

async function admin(service: TestService, args: string[], settings: Record<string, string>) {
  const { DATA_DIR, DEFAULT_DOMAIN, ENCRYPTION_KEY } = service.settings;
  const out: string[] = [];
  const err: string[] = [];
  const own = { DATA_DIR, DEFAULT_DOMAIN, ENCRYPTION_KEY: ENCRYPTION_KEY?.toString("base64") ?? "" };
  const code = await runCommand([...args, "--json"], {
    environment: { NODE_ENV: "test", ...own, DATABASE_URL: service.database.url, ...settings },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, stdout: out.join(""), stderr: err.join("") };
}

/** All messages of a mailbox. */
async function messages(client: Client, { key, address }: { key: string; address: string }): Promise<Listed[]> {
  const found: Listed[] = [];
  let cursor = "";
  do {
    const path = inboxPath(address, `/messages?limit=100${cursor && `&cursor=${cursor}`}`);
    const { body } = await client.get<Page<Listed>>(path, { key });
    found.push(...body.data);
    cursor = body.next_cursor ?? "";
  } while (cursor);
  return found;
}

async function contents(client: Client, { key, address }: { key: string; address: string }): Promise<string[]> {
  // A busy machine answers 503, with which the caller repeats.
  const download = (path: string) =>
    eventually(async () => {
      const { status, text } = await client.get(path, { key });
      return status === 200 ? text : Promise.reject(new Error(`${path}: ${status} ${text}`));
    });
  return Promise.all(
    (await messages(client, { key, address })).map(async ({ id, direction }) => {
      if (direction === "inbound") return download(`/v1/messages/${id}/raw`);
      const { body } = await client.get<{ attachments: { id: string }[] }>(`/v1/messages/${id}`, { key });
      return download(`/v1/messages/${id}/attachments/${body.attachments[0]?.id}`);
    }),
  );
}

type Filled = { service: TestService; client: Client; key: string; address: string };

async function fill({ service, client, key, address }: Filled, mails: number): Promise<void> {
  for (let n = 0; n < mails; n += 1) {
    await untilAccepted(service, { from: "a@far.example", to: address, subject: `${n}`, text: `the text of ${n}` });
  }
  const message = { to: "b@far.example", subject: "sent", text: "see", attachments: [ATTACHMENT] };
  await eventually(async () => {
    const { status } = await client.post(inboxPath(address, "/send"), message, { key });
    if (status !== 202) throw new Error(`POST /send: ${status}`);
  });
  await eventually(async () => {
    const data = await messages(client, { key, address });
    const open = data.filter((each) => each.status !== (each.direction === "inbound" ? "parsed" : "captured"));
    if (data.length !== mails + 1 || open.length > 0) throw new Error(`${open.length} of ${data.length} are not done`);
  });
}
