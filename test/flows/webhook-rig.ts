// Processes of the service with roles of their own, endpoints that verify and note all they are sent, and retries brought forward.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createTransport } from "nodemailer";
import Stripe from "stripe";
import { createClient } from "#client/index.ts";
import { verifyWebhook } from "#client/verify-webhook.ts";
import { openDatabase } from "#db/client.ts";
import { DELIVERY_LEASE_MS } from "#server/webhooks/delivery/due-delivery.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { type ServiceProcess, startProcess } from "#test/support/process.ts";

const UNLIMITED = "1000000";
const KEEP_SOCKETS_MS = 60_000;

export type Seen = { delivery: string; event: string; sender: string; signature: string; body: string };
/** As its endpoint saw it. `answered`: the status, once the answer is out; `endedAt`: when that or the socket was over. */
export type Request = Seen & { arrivedAt: number; answered: number | null; endedAt: number | null };

/**
 * Process i has the roles `roles[i]`. Its SERVICE_NAME, which is in the names of the headers that it sends, tells who sent a
 * delivery: `P<i>x<start>`, another one each time it is started.
 */
export async function startRoles(roles: string[]) {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), "mailberth-roles-"));
  const processes: ServiceProcess[] = [];
  const starts = roles.map(() => 0);
  const environment = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    LOG_LEVEL: "warn",
    RATE_LIMIT_PER_SECOND: UNLIMITED,
    RATE_LIMIT_BURST: UNLIMITED,
    RATE_LIMIT_ANONYMOUS_PER_SECOND: UNLIMITED,
    RATE_LIMIT_ANONYMOUS_BURST: UNLIMITED,
  };
  const name = (index: number) => `P${index}x${starts[index]}`;
  async function start(index: number): Promise<void> {
    starts[index] = (starts[index] ?? 0) + 1;
    processes[index] = await startProcess({
      ...environment,
      ROLES: roles[index] ?? "",
      SERVICE_NAME: name(index),
      DATA_DIR: join(folder, String(index)),
    });
  }
  const at = (index: number) => processes[index] as ServiceProcess;
  await start(0); // makes the enrollment key
  await Promise.all(roles.slice(1).map((_, i) => start(i + 1)));
  const token = /mb_enroll_\w+/.exec(at(0).output())?.[0] ?? "";
  const { agent_key: key } = await createClient({ url: at(0).url }).enroll.redeem.mutate({ token, agent_handle: "a" });
  const { sql, close } = openDatabase({ url: database.url, poolSize: 2 });
  return {
    sql,
    at,
    start,
    /** As it is in the header names of Node, in small letters. */
    sender: (index: number) => name(index).toLowerCase(),
    client: (index: number) => createClient({ url: at(index).url, key }),
    async stop(): Promise<void> {
      const running = processes.filter(({ child }) => child.exitCode === null && child.signalCode === null);
      await Promise.all(running.map((each) => each.end("SIGTERM")));
      await close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Roles = Awaited<ReturnType<typeof startRoles>>;

/** Lets the pauses between attempts be over: only rows that wait for the time that the log has as planned, never a lease. */
export async function endPauses({ sql }: Roles): Promise<void> {
  await sql`
    update deliveries set next_attempt_at = now() where id = any(array(
      select id from deliveries d
      where status = 'pending' and next_attempt_at > now() and exists (
        select from delivery_attempts a where a.delivery_id = d.id and a.next_attempt_at = d.next_attempt_at)
      for update skip locked))`;
}

/**
 * Lets the leases be over that began before `killedAt`, and what a lane sent back for longer than a lease: what lies between
 * is held by a process that lives.
 */
export async function endLeases({ sql }: Roles, killedAt: Date): Promise<void> {
  await sql`
    update deliveries set next_attempt_at = now() where id = any(array(
      select id from deliveries
      where status = 'pending' and next_attempt_at > now() and (
        next_attempt_at <= ${new Date(killedAt.getTime() + DELIVERY_LEASE_MS)}
        or next_attempt_at > now() + ${`${DELIVERY_LEASE_MS} ms`}::interval)
      for update skip locked))`;
}

/**
 * Sends mails to all these mailboxes concurrently, over several sessions, with a pause after each mail, while `more`
 * returns true.
 * @returns for each mailbox the ids of its messages, all of them in a 250
 */
export async function mailToAll(
  { smtpPort }: ServiceProcess,
  addresses: string[],
  { sessions, pauseMs, more }: { sessions: number; pauseMs: number; more: (begun: number) => boolean },
): Promise<Map<string, string[]>> {
  const accepted = new Map(addresses.map((address) => [address, [] as string[]]));
  let begun = 0;
  async function session(): Promise<void> {
    const transport = createTransport({
      host: "127.0.0.1",
      port: smtpPort,
      pool: true,
      maxConnections: 1,
      ignoreTLS: true,
    });
    while (more(begun)) {
      begun += 1;
      const mail = { from: "out@example.org", to: addresses, subject: `mail ${begun}`, text: "hello" };
      const { response } = await transport.sendMail(mail);
      const ids = response.startsWith("250 ") ? (response.match(/msg_\w+/g) ?? []) : [];
      if (ids.length !== addresses.length) throw new Error(`not a message for each: ${response}`);
      for (const [i, address] of addresses.entries()) accepted.get(address)?.push(ids[i] ?? "");
      await sleep(pauseMs);
    }
    transport.close();
  }
  await Promise.all(Array.from({ length: sessions }, session));
  return accepted;
}

/** Which of these secrets verify it, by Stripe's library and by ours, which must agree. */
export function verifiedBy({ sender, signature, body }: Seen, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => {
    const ours = verifies(() =>
      verifyWebhook(body, { [`x-${sender}-signature`]: signature }, secret, {
        headerName: `X-${sender}-Signature`,
      }),
    );
    if (verifies(() => Stripe.webhooks.constructEvent(body, signature, secret)) !== ours) {
      throw new Error(`Stripe's library and ours do not agree on ${signature}`);
    }
    return ours;
  });
}

function verifies(verify: () => unknown): boolean {
  try {
    verify();
    return true;
  } catch {
    return false;
  }
}

function seen({ headers }: IncomingMessage, body: string): Seen {
  const sender = Object.keys(headers)
    .find((each) => each.endsWith("-signature"))
    ?.slice("x-".length, -"-signature".length);
  const value = (what: string) => String(headers[`x-${sender}-${what}`]);
  return {
    delivery: value("delivery"),
    event: value("event-id"),
    sender: String(sender),
    signature: value("signature"),
    body,
  };
}

/** @param answer answers the request, or leaves it open */
export async function startEndpoint(answer: (request: Request, response: ServerResponse) => void) {
  const requests: Request[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return; // its sender was killed half way
    }
    const what = seen(incoming, Buffer.concat(chunks).toString());
    const request: Request = { ...what, arrivedAt: Date.now(), answered: null, endedAt: null };
    requests.push(request);
    response.once("finish", () => {
      request.answered = response.statusCode;
    });
    response.once("close", () => {
      request.endedAt = Date.now();
    });
    answer(request, response);
  });
  // An idle socket that closes as a request comes costs an attempt, which is not the subject here.
  server.keepAliveTimeout = KEEP_SOCKETS_MS;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests,
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

export type Endpoint = Awaited<ReturnType<typeof startEndpoint>>;
