// Makes the conditions of the alerts real in a running service, with the metrics of before and during each.
import { inject, onTestFinished } from "vitest";
import { connect } from "#db/client.ts";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { eventually } from "#test/support/events.ts";
import { startProxy } from "#test/support/proxy.ts";
import { startS3 } from "#test/support/s3/start.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { openSmallDisk } from "#test/support/small-disk.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { startReceiver, status } from "#test/webhooks/delivery/receiver.ts";
import { type Scrape, scrape } from "./scrape.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const BOUNCES = 25;
const REFUSED_UPLOADS = 21;
const OUTAGE_TIMEOUT_SECONDS = "2";

export type Condition = { before: Scrape; during: Scrape };

type Service = Awaited<ReturnType<typeof startTestService>>;

/** Ends with the test, in the opposite order of the calls. */
function afterwards(close: () => Promise<unknown>): void {
  onTestFinished(async () => void (await close()));
}

async function start(...given: Parameters<typeof startTestService>): Promise<Service> {
  const service = await startTestService(...given);
  afterwards(service.stop);
  return service;
}

/** The metrics once `series` has the value. */
function scrapeOnce(service: Service, series: string, isReached: (value: number) => boolean): Promise<Scrape> {
  return eventually(async () => {
    const read = await scrape(service);
    const value = read.get(series);
    if (value === undefined || !isReached(value)) throw new Error(`${series} is ${value}`);
    return read;
  });
}

const QUEUE_AGE = 'mailberth_queue_oldest_due_seconds{queue="deliveries"}';

/** Retries are due, and another session holds the table of deliveries, so that no worker can lease them. */
export async function stuckQueue(): Promise<Condition> {
  const clock = adjustableClock();
  const service = await start({}, { now: clock.now });
  const receiver = await startReceiver(status(500));
  afterwards(receiver.close);
  const client = api(service);
  afterwards(client.close);
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  await client.post("/v1/webhooks", { url: receiver.url, events: ["message.received"] }, { key });
  await service.mail({ from: "a@else.example", to: address });
  await scrapeOnce(service, 'mailberth_webhook_attempts_total{outcome="retried"}', (count) => count > 0);
  await scrapeOnce(service, 'mailberth_parse_seconds_count{result="parsed"}', (count) => count > 0);
  const before = await scrapeOnce(service, 'mailberth_queue_rows{queue="deliveries"}', (rows) => rows === 1);
  const sql = connect(service.database.url, { max: 1 });
  afterwards(() => sql.end());
  const held = await sql.reserve();
  await held`begin`;
  await held`lock table deliveries in exclusive mode`;
  clock.advance(HOUR_MS);
  const during = await scrapeOnce(service, QUEUE_AGE, (seconds) => seconds > 60);
  await held`rollback`;
  held.release();
  // Its lease or its next attempt is in the future again.
  await scrapeOnce(service, QUEUE_AGE, (seconds) => seconds === 0);
  return { before, during };
}

export async function databaseDown(): Promise<Condition> {
  const database = await createTestDatabase();
  afterwards(database.drop);
  const proxy = await startProxy(database.url);
  afterwards(async () => proxy.cut());
  const service = await start(
    { DATABASE_TIMEOUT_SECONDS: OUTAGE_TIMEOUT_SECONDS },
    { database: { ...database, url: proxy.url } },
  );
  const before = await scrapeOnce(service, 'mailberth_queue_rows{queue="deliveries"}', (rows) => rows === 0);
  proxy.freeze();
  try {
    const during = await scrapeOnce(service, "mailberth_database_up", (up) => up === 0);
    return { before, during };
  } finally {
    proxy.thaw();
    await scrapeOnce(service, "mailberth_database_up", (up) => up === 1);
  }
}

export async function diskFull(): Promise<Condition> {
  const disk = await openSmallDisk(inject("databaseServer"));
  afterwards(disk.drop);
  const service = await start({}, { database: disk });
  const series = 'mailberth_database_writes{result="disk_full"}';
  const before = await scrapeOnce(service, 'mailberth_database_writes{result="ok"}', (value) => value === 1);
  disk.fill();
  const during = await scrapeOnce(service, series, (value) => value === 1);
  disk.free();
  await scrapeOnce(service, series, (value) => value === 0);
  return { before, during };
}

/** A relay refuses every recipient for good. */
export async function bounceSpike(): Promise<Condition> {
  const sink = await startSmtpSink();
  afterwards(sink.close);
  sink.faults.rcpt = () => ({ code: 550, text: "5.1.1 No such user" });
  const service = await start({ OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url, SEND_CAP_RAMP: "1000" });
  const client = api(service);
  afterwards(client.close);
  const { agentKey: key } = await service.newOrganization();
  const before = await scrape(service);
  for (let n = 0; n < BOUNCES; n += 1) {
    // One mailbox each, since a mailbox with many bounces may not send.
    const { address } = await client.createInbox(key);
    const mail = { to: `nobody-${n}@else.example`, subject: "x", text: "x" };
    await client.post<Sent>(inboxPath(address, "/send"), mail, { key });
  }
  const bounced = 'mailberth_recipient_outcomes_total{outcome="bounced"}';
  return { before, during: await scrapeOnce(service, bounced, (count) => count >= BOUNCES) };
}

/** S3 refuses the uploads of more than twenty mails. */
export async function s3Refuses(): Promise<Condition> {
  const { s3, service, address } = await startWithS3();
  const before = await scrape(service);
  s3.break(({ method }) => (method === "PUT" ? { status: 403, code: "AccessDenied" } : undefined));
  for (let n = 0; n < REFUSED_UPLOADS; n += 1) {
    await service.mail({ from: "a@else.example", to: address }).catch(() => undefined);
  }
  const refused = 'mailberth_blob_requests_total{operation="put",outcome="refused"}';
  const during = await scrapeOnce(service, refused, (count) => count >= REFUSED_UPLOADS);
  s3.break(undefined);
  return { before, during };
}

/** An object that a row refers to is gone. */
export async function objectLost(): Promise<Condition> {
  const { s3, service, client, key, address } = await startWithS3();
  await service.mail({ from: "a@else.example", to: address });
  const before = await scrape(service);
  for (const object of await s3.objects()) await s3.lose(object);
  const { data } = (await client.get<Page<{ id: string }>>(inboxPath(address, "/messages"), { key })).body;
  await client.get(`/v1/messages/${data[0]?.id}/raw`, { key });
  const missing = 'mailberth_blob_requests_total{operation="get",outcome="missing"}';
  return { before, during: await scrapeOnce(service, missing, (count) => count > 0) };
}

async function startWithS3() {
  const s3 = await startS3();
  afterwards(s3.stop);
  const service = await start(s3.settings);
  const client = api(service);
  afterwards(client.close);
  const { agentKey: key } = await service.newOrganization();
  return { s3, service, client, key, address: (await client.createInbox(key)).address };
}

/** A mailbox that gets mail on three days, and then none for a day; another that still gets mail. */
export async function quietMailbox(): Promise<Condition> {
  const database = await createTestDatabase();
  afterwards(database.drop);
  const clock = adjustableClock();
  const service = await start({}, { database, now: clock.now });
  const client = api(service);
  afterwards(client.close);
  const { agentKey: key } = await service.newOrganization();
  const [quiet, lively] = [await client.createInbox(key), await client.createInbox(key)];
  const began = clock.now().getTime();
  for (const days of [0, 1, 2]) {
    clock.set(new Date(began + days * DAY_MS));
    await service.mail({ from: "a@else.example", to: [quiet.address, lively.address] });
  }
  const before = await scrapeOnce(service, "mailberth_mailboxes_quiet", (count) => count === 0);
  clock.set(new Date(began + 3 * DAY_MS + HOUR_MS));
  await service.mail({ from: "a@else.example", to: lively.address });
  // A worker samples mailboxes when it starts, and then every five minutes.
  const later = await start({}, { database, now: clock.now });
  return { before, during: await scrapeOnce(later, "mailberth_mailboxes_quiet", (count) => count === 1) };
}
