// Builds the services of a process. No other file chooses adapters.
import { and, eq, ne } from "drizzle-orm";
import { openDatabase } from "#db/client.ts";
import { inboxes } from "#db/schema/mail.ts";
import { createDnsResolver } from "../adapters/dns-resolver.ts";
import { httpFacilitator } from "../adapters/http-facilitator.ts";
import { httpPictures } from "../adapters/http-pictures.ts";
import { localOutbound } from "../adapters/local-outbound.ts";
import { mailgunEvents } from "../adapters/mailgun-events.ts";
import { postgresBlobs } from "../adapters/postgres-blobs.ts";
import { postmarkEvents, postmarkMark } from "../adapters/postmark-events.ts";
import { resendEvents } from "../adapters/resend-events.ts";
import { resendOutbound } from "../adapters/resend-outbound.ts";
import { s3Blobs } from "../adapters/s3-blobs.ts";
import { COUNTED, OUTCOMES } from "../adapters/s3-requests.ts";
import { sendgridEvents, sendgridMark } from "../adapters/sendgrid-events.ts";
import { sesEvents } from "../adapters/ses-events.ts";
import { createSimulator } from "../adapters/simulator.ts";
import { isSesHost, smtpOutbound } from "../adapters/smtp-outbound.ts";
import { snsGet } from "../adapters/sns-messages.ts";
import { createBodyBudget } from "../api/bodies/body-budget.ts";
import { createInboxLookups } from "../base/batching/inbox-lookups.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import { isLoopback, portsIn, type Settings } from "../base/env.ts";
import { createLimiter } from "../base/limiter.ts";
import { createFacts, type Logger } from "../base/log.ts";
import { createMetrics, type Metrics } from "../base/metrics.ts";
import type { Blobs } from "../base/ports/blobs.ts";
import type { Dns } from "../base/ports/dns.ts";
import type { Outbound } from "../base/ports/outbound.ts";
import type { ProviderEvents, SnsGet } from "../base/ports/provider-events.ts";
import type { Tracing } from "../base/ports/tracing.ts";
import { type SecretBox, secretBox } from "../base/secrets.ts";
import { tracesUrl } from "../base/settings/otel.ts";
import { createSignals } from "../base/signals.ts";
import { createThreadPool } from "../base/threads/thread-pool.ts";
import { createCallLog } from "../calls/record.ts";
import { createDkimKeyMaker } from "../domains/dkim/make-key.ts";
import { createSigningKeys } from "../domains/dkim/signing-key.ts";
import { createFeed } from "../events/feed.ts";
import { createInboxCreates } from "../inboxes/create.ts";
import { createInboxReservations } from "../inboxes/reserve.ts";
import { memberApps } from "../keys/apps/end.ts";
import { prepareMessageStatements } from "../messages/columns.ts";
import { createImportRates } from "../messages/import/import.ts";
import { createIncludedMessages } from "../messages/included.ts";
import { createMessageLoads } from "../messages/load.ts";
import { PICTURED_MAILS } from "../messages/render/html.ts";
import { takeOverRestraints } from "../messages/restraints.ts";
import { createTrashRoom } from "../messages/trash/give-way.ts";
import { writeOwnAct } from "../organizations/audit.ts";
import { createCompanyProvider } from "../organizations/company-provider.ts";
import { sendReset } from "../organizations/emails.ts";
import { createSignIn } from "../organizations/sign-in.ts";
import { createReadTurns } from "../procedures/read-turns.ts";
import { countReads } from "../procedures/reads.ts";
import { createParsing, stopReading } from "../receiving/parse.ts";
import { createMailThreads } from "../receiving/parse-mail.ts";
import { createIntake, receiveMail } from "../receiving/receive.ts";
import { readReturnPath } from "../receiving/returns/return-path.ts";
import { takeReturn } from "../receiving/returns/take-return.ts";
import { createQueuing } from "../sending/batch.ts";
import { createFileFetches } from "../sending/fetch-files.ts";
import { createAttaching } from "../sending/files.ts";
import { createChat } from "../webhooks/chat/post.ts";
import { createDispatcher, noDispatcher, type WorkingDispatcher } from "../webhooks/delivery/dispatcher.ts";
import { createEventLog } from "../webhooks/delivery/record-events.ts";
import { dialFor, dialForPictures } from "../webhooks/targets/dial.ts";
import { createOriginRates } from "../webhooks/targets/origin-rate.ts";
import { createOwnPorts } from "../webhooks/targets/own-ports.ts";
import { encryptionKey } from "./encryption-key.ts";

const CLOSE_ATTEMPTS_MS = 4_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** The largest content that is read from S3, unless SMTP_MAX_BYTES is larger. */
const BLOB_MAX_BYTES = 134_217_728;
const LOOPBACK_HOSTS = [{ host: "localhost" }, { host: "127.0.0.0", bits: 8 }, { host: "::1" }];

export type Assembled = {
  system: Ctx<System>;
  /** Only in a process that delivers webhooks. */
  dispatcher: WorkingDispatcher | undefined;
  /** Ends running webhook attempts, then every connection. */
  close(): Promise<void>;
};

type Options = {
  delivers?: boolean;
  now?: () => Date;
  dns?: Dns;
  payments?: Services["payments"];
  snsGet?: SnsGet | undefined;
};

/**
 * @param databaseUrl of a migrated database
 * @param options `delivers`: this process delivers webhooks; `now` replaces the clock; `dns`, `payments` and
 * `snsGet` replace the real adapters
 */
export async function assemble(
  settings: Settings,
  log: Logger,
  databaseUrl: string,
  options: Options = {},
): Promise<Assembled> {
  const now = options.now ?? (() => new Date());
  const pools = openPools(databaseUrl, settings, log);
  const { work, reads, doors, lookups, probes, listening } = pools;

  // What needs no other service, and the ports.
  const secrets = secretBox(encryptionKey(settings, log));
  const metrics = createMetrics({ settings, db: work.db, probes: probes.sql, log, now });
  const base = {
    settings,
    sql: work.sql,
    db: work.db,
    doors: { sql: doors.sql, db: doors.db },
    probes: probes.sql,
    log,
    now,
    secrets,
    metrics,
    facts: createFacts(),
    signals: createSignals(work.sql, log, { listening: listening.sql }),
    threadPool: createThreadPool(),
    dkimKeyMaker: createDkimKeyMaker(),
    blobs: chooseBlobs(settings, secrets, metrics),
    payments: options.payments ?? (await choosePayments(settings, now)),
    tracing: await chooseTracing({ settings, log, metrics }),
    dns: options.dns ?? createDnsResolver({ servers: settings.DNS_SERVERS ?? [] }),
  };
  // Mail that OUTBOUND=local sends is received by the services that are being made here.
  const outbound = chooseOutbound(base, () => system);

  // Events and webhooks.
  const feed = createFeed(base);
  const databaseUrls = [databaseUrl, settings.DATABASE_DIRECT_URL].filter((url) => url !== undefined);
  const ownPorts = createOwnPorts(portsIn(settings), { publicUrl: settings.PUBLIC_URL, databaseUrls });
  const originRates = createOriginRates(settings.WEBHOOK_RATE_PER_ORIGIN);
  const readMessage = createIncludedMessages(base, () => system);
  const dispatcher = options.delivers
    ? createDispatcher({ ...base, feed, ownPorts, originRates }, { readMessage })
    : undefined;
  const delivering = { ...base, feed, ownPorts, originRates, dispatcher: dispatcher ?? noDispatcher };

  // Mail: received, parsed and read.
  const ofMail = { ...delivering, mailThreads: createMailThreads(base) };
  const parsing = createParsing(ofMail, { fromMemory: options.delivers ?? false });
  const messageStatements = prepareMessageStatements(base.db);
  const readStatements = prepareMessageStatements(reads.db);

  const trashRoom = createTrashRoom(base);

  // Creates that arrive together share transactions.
  const eventLog = createEventLog(delivering);
  const creating = { ...base, outbound, takeOverRestraints, eventLog };

  const services: Services = {
    ...ofMail,
    callLog: createCallLog(base),
    outbound,
    eventLog,
    chat: createChat(delivering),
    openAnswers: createLimiter({ each: settings.MAX_WAITS_PER_KEY }),
    trashRoom,
    intake: createIntake({ ...delivering, ...base.doors, parsing, trashRoom }),
    parsing,
    arrivals: new Map(),
    providerEvents: chooseProviderEvents(settings, { ownPorts, now, snsGet: options.snsGet }),
    remotePictures: httpPictures(
      dialForPictures({ allowed: settings.PICTURE_ALLOWED_HOSTS ?? [], ownPorts }, CONNECT_TIMEOUT_MS),
    ),
    picturesLoading: createLimiter(PICTURED_MAILS),
    attaching: createAttaching(),
    bodies: createBodyBudget("requests"),
    answers: createBodyBudget("answers"),
    importRates: createImportRates(),
    fileFetches: createFileFetches({ settings, ownPorts }),
    messageStatements,
    messageLoads: createMessageLoads({ ...base, messageStatements }),
    reads: {
      connections: { sql: reads.sql, db: reads.db, messageStatements: readStatements },
      turns: createReadTurns(reads.connections, reads.waitMaxMs),
      timeoutMs: reads.timeoutMs,
    },
    outOfTurn: (wait) => wait(),
    ...createInboxLookups(base, lookups.sql),
    takeOverRestraints,
    inboxCreates: createInboxCreates(creating),
    inboxReservations: createInboxReservations(creating),
    queuing: createQueuing(base),
    signIn: createSignIn({
      ...base,
      sendReset: (person, token) => sendReset(base, person, token),
      onAct: (userId, act) => writeOwnAct(base, userId, act),
      // An app that an intruder connected ends with the intruder's sessions.
      onNewPassword: (userId) => base.db.transaction((tx) => memberApps.end(tx, { userIds: [userId] }, now())),
    }),
    company: createCompanyProvider(base),
    memberApps,
  };
  const system: Ctx<System> = { ...services, actor: { kind: "system" } };
  metrics.watchReads(() => countReads(services));
  const close = async () => {
    await dispatcher?.close(CLOSE_ATTEMPTS_MS);
    await closeServices(services);
    await pools.close();
  };
  return { system, dispatcher, close };
}

async function closeServices(services: Services): Promise<void> {
  services.metrics.stop();
  await services.callLog.close();
  services.feed.stop();
  await stopReading(services);
  services.dns.close();
  await services.payments?.facilitator.close();
  for (const provider of Object.values(services.providerEvents)) await provider.close();
  await services.outbound.close();
  await services.blobs.close();
  await services.chat.close();
  await services.signals.close();
  await services.tracing?.close();
}

const POOL_MIN = 2;
/** Of DATABASE_POOL_SIZE, which are the connections for everything else. */
const READS_SHARE = 1 / 2;
const DOORS_SHARE = 1 / 4;
const PROBES = 2;
/** Look-ups share queries, one at a time (base/batching/inbox-lookups.ts). */
const LOOKUPS = 1;
/** Readiness answers within this time, whatever the database does. */
const PROBE_TIMEOUT_MS = 2_000;

/**
 * Opens the connections of a process: separate pools for reads of the API, for looking up mailboxes, for agent keys and
 * incoming mail, for readiness, and for everything else, so that none of them waits for the others.
 */
function openPools(url: string, settings: Settings, log: Logger) {
  const { DATABASE_POOL_SIZE: size, DATABASE_TIMEOUT_SECONDS, DATABASE_READ_TIMEOUT_SECONDS } = settings;
  const { DATABASE_SCHEMA: schema, DATABASE_DIRECT_URL: directUrl } = settings;
  const place = { url, schema, isPooled: directUrl !== undefined };
  const timeoutMs = DATABASE_TIMEOUT_SECONDS * 1000;
  const readTimeoutMs = Math.min(DATABASE_READ_TIMEOUT_SECONDS * 1000, timeoutMs);
  const share = (part: number) => Math.max(POOL_MIN, Math.ceil(size * part));
  const readers = share(READS_SHARE);
  const work = openDatabase({ ...place, poolSize: size, timeoutMs, log });
  const reads = openDatabase({ ...place, poolSize: readers, timeoutMs: readTimeoutMs, log });
  const doors = openDatabase({ ...place, poolSize: share(DOORS_SHARE), timeoutMs, log });
  const lookups = openDatabase({ ...place, poolSize: LOOKUPS, timeoutMs, log });
  const probes = openDatabase({ ...place, poolSize: PROBES, timeoutMs: PROBE_TIMEOUT_MS, log });
  // A session of a pooler does not stay with the connection, and would not get notifications.
  const listening = directUrl ? openDatabase({ url: directUrl, schema, poolSize: 1, timeoutMs, log }) : work;
  const all = new Set([work, listening, reads, doors, lookups, probes]);
  return {
    work,
    listening,
    reads: { ...reads, connections: readers, timeoutMs: readTimeoutMs, waitMaxMs: timeoutMs },
    doors,
    lookups,
    probes,
    close: () => Promise.all([...all].map(({ close }) => close())),
  };
}

async function chooseTracing(needs: Pick<Services, "settings" | "log" | "metrics">): Promise<Tracing | undefined> {
  const url = tracesUrl(needs.settings);
  if (!url) return undefined;
  // Imported only when needed: most services trace nothing.
  const { otlpTracing } = await import("../adapters/otlp-tracing.ts");
  return otlpTracing(url, needs);
}

async function choosePayments(settings: Settings, now: () => Date): Promise<Services["payments"]> {
  if (!settings.PAYMENTS_ENABLED) return undefined;
  // Imported only when needed, because it takes longer to load than the rest of the service.
  const { viemChain } = await import("../adapters/viem-chain.ts");
  const { CDP_API_KEY_ID: keyId, CDP_API_KEY_SECRET: secret, PAYMENTS_FACILITATOR_URL: url } = settings;
  return {
    facilitator: httpFacilitator({ url, now, cdp: keyId && secret ? { keyId, secret } : undefined }),
    chain: viemChain({ rpcUrl: required(settings.PAYMENTS_RPC_URL) }),
  };
}

/** With settings for S3, content that is there is readable wherever new content is written. */
export function chooseBlobs(settings: Settings, secrets: SecretBox, metrics?: Metrics): Blobs {
  const { BLOBS, S3_ENDPOINT: endpoint, S3_REGION: region, S3_PATH_STYLE: pathStyle, S3_PREFIX: prefix } = settings;
  if (endpoint === undefined) return postgresBlobs;
  const bucket = required(settings.S3_BUCKET);
  const accessKeyId = required(settings.S3_ACCESS_KEY_ID);
  const secretAccessKey = required(settings.S3_SECRET_ACCESS_KEY);
  for (const operation of COUNTED) {
    // An alert sees only an increase of a series that is there.
    for (const outcome of OUTCOMES) metrics?.blobRequests.inc({ operation, outcome }, 0);
  }
  return s3Blobs({
    s3: { endpoint, region, bucket, accessKeyId, secretAccessKey, pathStyle, prefix },
    secrets,
    newIn: BLOBS === "s3" ? "objects" : "rows",
    maxBytes: Math.max(settings.SMTP_MAX_BYTES, BLOB_MAX_BYTES),
    onRequest(operation, outcome, seconds) {
      metrics?.blobRequests.inc({ operation, outcome });
      metrics?.blobSeconds.observe({ operation }, seconds);
    },
  });
}

type Base = Parameters<typeof createSigningKeys>[0] & Pick<Services, "settings">;

function chooseOutbound(base: Base, system: () => Ctx<System>): Outbound {
  const { settings } = base;
  if (settings.OUTBOUND === "smtp") {
    return smtpOutbound({
      url: required(settings.OUTBOUND_SMTP_URL),
      hostname: settings.SMTP_HOSTNAME,
      signingKey: createSigningKeys(base),
      marks: [
        ...(settings.POSTMARK_WEBHOOK_SECRET ? [postmarkMark] : []),
        ...(settings.SENDGRID_PUBLIC_KEY ? [sendgridMark] : []),
      ],
      replacesIdentity: isSes(settings),
    });
  }
  if (settings.OUTBOUND === "resend") {
    return resendOutbound({ apiKey: required(settings.RESEND_API_KEY), baseUrl: settings.RESEND_BASE_URL });
  }
  return localOutbound({
    simulator: createSimulator({
      now: base.now,
      lost: (error) => system().log.warn({ error }, "an answer of simulator.invalid could not be delivered"),
      async received({ envelopeFrom, to, raw }) {
        await receiveMail(system(), { envelopeFrom, recipients: [to], raw, remoteIp: null, helo: null });
      },
      async returned(path, raw) {
        const returned = readReturnPath(system(), path);
        if (typeof returned !== "object") return;
        const taken = await takeReturn(system(), returned, { envelopeFrom: "", raw, remoteIp: null, helo: null });
        if (taken.outcome === "later") throw new Error("the report could not be read");
      },
    }),
    deliver: (mail) => receiveMail(system(), { ...mail, isOwn: true }),
    isHosted: async (domain) => {
      if (domain === settings.DEFAULT_DOMAIN) return true;
      const rows = await system()
        .db.select({ id: inboxes.id })
        .from(inboxes)
        .where(and(eq(inboxes.domain, domain), ne(inboxes.status, "reserved")))
        .limit(1);
      return rows.length > 0;
    },
  });
}

/** Amazon SES takes the mail, directly or, if its topics are set, from a relay of the operator. It writes Message-ID and Date itself. */
function isSes({ SES_TOPIC_ARNS, OUTBOUND_SMTP_URL }: Settings): boolean {
  return SES_TOPIC_ARNS !== undefined || isSesHost(new URL(required(OUTBOUND_SMTP_URL)).hostname);
}

type EventNeeds = Pick<Services, "ownPorts" | "now"> & { snsGet: SnsGet | undefined };

function chooseProviderEvents(settings: Settings, { ownPorts, now, snsGet: get }: EventNeeds) {
  const { SES_TOPIC_ARNS: topics, POSTMARK_WEBHOOK_SECRET, MAILGUN_SIGNING_KEY, SENDGRID_PUBLIC_KEY } = settings;
  const providers: Services["providerEvents"] = {};
  if (settings.RESEND_WEBHOOK_SECRET) providers.resend = eventsOfResend(settings, ownPorts);
  if (topics) {
    const rules = { WEBHOOK_TARGETS: "public" as const, WEBHOOK_ALLOWED_HOSTS: [] };
    const dial = dialFor({ settings: rules, ownPorts }, CONNECT_TIMEOUT_MS);
    providers.ses = sesEvents({ topics, now, get: get ?? snsGet(dial) });
  }
  if (POSTMARK_WEBHOOK_SECRET) providers.postmark = postmarkEvents(POSTMARK_WEBHOOK_SECRET);
  if (MAILGUN_SIGNING_KEY) providers.mailgun = mailgunEvents({ keys: MAILGUN_SIGNING_KEY, now });
  if (SENDGRID_PUBLIC_KEY) providers.sendgrid = sendgridEvents({ keys: SENDGRID_PUBLIC_KEY, now });
  return providers;
}

function eventsOfResend(settings: Settings, ownPorts: Services["ownPorts"]): ProviderEvents {
  const { RESEND_WEBHOOK_SECRET: secret, RESEND_API_KEY: apiKey, RESEND_BASE_URL: baseUrl } = settings;
  // Downloads reach public addresses; this machine only where the operator has put the API itself there.
  const allowed = isLoopback(new URL(baseUrl).hostname) ? LOOPBACK_HOSTS : [];
  const rules = { WEBHOOK_TARGETS: "public" as const, WEBHOOK_ALLOWED_HOSTS: allowed };
  const dial = dialFor({ settings: rules, ownPorts }, CONNECT_TIMEOUT_MS);
  return resendEvents({ apiKey: required(apiKey), baseUrl, secret: required(secret), dial });
}

function required(value: string | undefined): string {
  if (value === undefined) throw new Error("unreachable: env.ts requires the settings of each mode");
  return value;
}
