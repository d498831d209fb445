// A service's inbound part for tests: a new database, mailboxes, webhooks, and an SMTP listener on loopback.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { connect as connectSocket, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { createTransport } from "nodemailer";
import { readSettings } from "#server/base/env.ts";
import { newId } from "#server/base/ids.ts";
import { createLog } from "#server/base/log.ts";
import { assemble } from "#server/boot/assemble.ts";
import { type IncomingMail, receiveMail } from "#server/receiving/receive.ts";
import type { SmtpLimits } from "#server/smtp/limits.ts";
import { startSmtp } from "#server/smtp/listener.ts";
import { createTestDatabase } from "./database.ts";

const READ_TIMEOUT_MS = 15_000;
const DEFAULTS = { SMTP_PORT: "0", LOG_LEVEL: "fatal", SMTP_CONNECTIONS_PER_ADDRESS: "250" };

export type Inbound = Awaited<ReturnType<typeof openInbound>>;
type EmptiedTable = "messages" | "raw_messages" | "events" | "deliveries" | "threads" | "webhooks" | "inboxes";
export type StoredMail = {
  id: string;
  inbox_id: string;
  thread_id: string;
  status: string;
  from_address: string;
  from_name: string | null;
  to_addresses: string[];
  subject: string;
  rfc_message_id: string | null;
  in_reply_to: string | null;
  references_ids: string[];
  headers: [string, string][] | null;
  text: string | null;
  html: string | null;
  attachments: { filename: string | null; content_type: string; size: number; inline: boolean }[];
  reading: { complete: boolean; notes: string[] } | null;
  size: number;
  envelope_from: string;
  envelope_to: string;
  remote_ip: string | null;
  helo: string | null;
  created_at: Date;
  bytes: Buffer;
};

export async function openInbound(
  options: { settings?: Record<string, string>; now?: () => Date; databaseUrl?: (url: string) => string } = {},
) {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "mailberth-inbound-"));
  const settings = readSettings({ DATA_DIR: dataDir, ...DEFAULTS, ...options.settings });
  const url = options.databaseUrl?.(database.url) ?? database.url;
  const assembled = await assemble(settings, createLog("fatal", false), url, { now: options.now });
  const ctx = assembled.system;
  const listeners: { close(): Promise<void> }[] = [];
  return {
    ctx,
    dataDir,
    databaseUrl: database.url,
    organizationId: newId(),
    async listen(limits?: Partial<SmtpLimits>) {
      const listener = await startSmtp(ctx, limits);
      listeners.push(listener);
      return listener;
    },
    async close() {
      await Promise.all(listeners.map((listener) => listener.close()));
      await assembled.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A live mailbox; its address is random unless given. */
export async function addMailbox({ ctx, organizationId }: Inbound, address?: string) {
  const row = {
    id: newId(),
    organization_id: organizationId,
    enrollment_key_id: newId(),
    agent_id: newId(),
    address: address ?? `bot-${randomBytes(6).toString("hex")}@mail.localhost`,
    domain: "mail.localhost",
    display_name: "Bot",
    metadata: "{}",
    status: "live",
    identity_status: "open",
    created_at: new Date(),
  };
  await ctx.sql`insert into inboxes ${ctx.sql(row)}`;
  return { id: row.id, address: row.address };
}

export async function addWebhook({ ctx, organizationId }: Inbound, inboxId: string | null, active = true) {
  const id = newId();
  const row = {
    id,
    organization_id: organizationId,
    inbox_id: inboxId,
    url: "http://127.0.0.1:9/hook",
    events: ["message.received"],
    secret: ctx.secrets.seal("whsec_test", id),
    active,
    created_at: new Date(),
  };
  await ctx.sql`insert into webhooks ${ctx.sql(row)}`;
  return id;
}

/**
 * Removes all rows of these tables, one table after the other. One TRUNCATE of several tables waits for each while it holds
 * the others: it deadlocks with a query in the background that reads two of them in another order.
 */
export async function emptyTables({ ctx: { sql } }: Inbound, ...tables: EmptiedTable[]): Promise<void> {
  for (const table of tables) await sql`truncate ${sql(table)}`;
}

/** Everything stored, oldest first, with the raw bytes. */
export function stored({ ctx }: Inbound): Promise<StoredMail[]> {
  return ctx.sql<
    StoredMail[]
  >`select m.*, r.bytes from messages m join raw_messages r on r.message_id = m.id order by m.id`;
}

export function receive(
  { ctx }: Pick<Inbound, "ctx">,
  mail: Partial<Omit<IncomingMail, "raw">> & { raw: Buffer | string; recipients: string[] },
) {
  return receiveMail(ctx, {
    envelopeFrom: "sender@example.org",
    remoteIp: "192.0.2.1",
    helo: "mx.example.org",
    ...mail,
    raw: typeof mail.raw === "string" ? Buffer.from(mail.raw) : mail.raw,
  });
}

/** A whole mail out of header lines and a body, in CRLF. */
export function mailOf(headers: string[], body = "Hello\r\n"): string {
  return `${headers.join("\r\n")}\r\n\r\n${body}`;
}

export function mailer(port: number, options: object = {}) {
  return createTransport({ host: "127.0.0.1", port, tls: { rejectUnauthorized: false }, ...options });
}

/**
 * Speaks SMTP line by line, from an address of 127.0.0.0/8, with TLS from the start if `secure`; `read` gives the next whole reply, its
 * lines joined by `\n`.
 */
export async function speak(
  port: number,
  localAddress = "127.0.0.1",
  secure = false,
): Promise<{
  socket: Socket;
  write(text: string | Buffer): void;
  read(): Promise<string>;
  ask(line: string): Promise<string>;
  /** Whatever still comes until the connection ends. */
  rest(): Promise<string>;
}> {
  const place = { port, host: "127.0.0.1", localAddress };
  const socket = secure ? connectTls({ ...place, rejectUnauthorized: false }) : connectSocket(place);
  socket.setNoDelay(true);
  let buffer = "";
  let ended = false;
  let wake = () => {};
  socket.on("data", (chunk) => {
    buffer += chunk.toString("latin1");
    wake();
  });
  const end = () => {
    ended = true;
    wake();
  };
  socket.on("close", end).on("end", end).on("error", end);
  async function until<T>(look: () => T | undefined): Promise<T> {
    const deadline = AbortSignal.timeout(READ_TIMEOUT_MS);
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (deadline.aborted) throw new Error(`no answer; so far: ${JSON.stringify(buffer)}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, 50);
      });
    }
  }
  const takeReply = () => {
    const match = /^(?:\d{3}-[^\r\n]*\r\n)*\d{3} [^\r\n]*\r\n/.exec(buffer);
    if (!match) return ended ? `closed ${buffer}` : undefined;
    buffer = buffer.slice(match[0].length);
    return match[0].trimEnd().replaceAll("\r\n", "\n");
  };
  const read = () => until(takeReply);
  return {
    socket,
    write: (text) => void socket.write(text),
    read,
    async ask(line) {
      socket.write(`${line}\r\n`);
      return read();
    },
    rest: () => until(() => (ended ? buffer : undefined)),
  };
}

/** A session that has greeted and named one sender and one recipient, so that DATA is next. */
export async function speakUpToData(port: number, recipient: string, localAddress?: string) {
  const client = await speak(port, localAddress);
  await client.read();
  await client.ask("EHLO client.example.org");
  await client.ask("MAIL FROM:<sender@example.org>");
  await client.ask(`RCPT TO:<${recipient}>`);
  return client;
}
