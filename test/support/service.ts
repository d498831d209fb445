// A real service in this process, on a new database, for tests through HTTP and SMTP.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import type { InboxAccess } from "#db/scopes.ts";
import { SCOPES, type Services } from "#server/base/context.ts";
import { readSettings, type SETTING_NAMES } from "#server/base/env.ts";
import { createLog } from "#server/base/log.ts";
import type { SnsGet } from "#server/base/ports/provider-events.ts";
import { startService } from "#server/boot/service.ts";
import { issueAgentKey } from "#server/keys/issue-agent-key.ts";
import { issueEnrollmentKey } from "#server/keys/issue-enrollment-key.ts";
import { createOrganization } from "#server/organizations/organizations.ts";
import { createTestDatabase } from "./database.ts";
import { type Zone, zoneDns } from "./zone.ts";

const FOLDER_PREFIX = "mailberth-service-";
const UNLIMITED = "1000000";
const MAILBOXES = 100;

type Environment = Partial<Record<(typeof SETTING_NAMES)[number], string>>;
type Database = Awaited<ReturnType<typeof createTestDatabase>>;

/** The one key of all test services, so that two on one database read each other's cursors and secrets. */
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString("base64");

/** What /metrics needs at PUBLIC_URL. */
export const METRICS_TOKEN = "metrics-token-of-tests";

const DEFAULTS: Environment = {
  HOST: "127.0.0.1",
  PORT: "0",
  SMTP_PORT: "0",
  SMTP_CONNECTIONS_PER_ADDRESS: "250",
  PUBLIC_URL: "http://mailberth.example",
  DEFAULT_DOMAIN: "mail.example",
  // Receivers of tests listen on loopback.
  WEBHOOK_TARGETS: "any",
  ALLOW_INSECURE_WEBHOOKS: "true",
  WEBHOOK_RATE_PER_ORIGIN: UNLIMITED,
  MAX_WEBHOOKS_PER_ORGANIZATION: UNLIMITED,
  MAX_WEBHOOKS_PER_MAILBOX: UNLIMITED,
  MAX_KEYS_PER_AGENT: UNLIMITED,
  MAX_ISSUED_KEYS_PER_KEY: UNLIMITED,
  MAX_WEBHOOKS_PER_ORIGIN: UNLIMITED,
  // Few: a connection costs PostgreSQL 30 ms of CPU.
  DATABASE_POOL_SIZE: "3",
  RATE_LIMIT_PER_SECOND: UNLIMITED,
  RATE_LIMIT_BURST: UNLIMITED,
  RATE_LIMIT_ANONYMOUS_PER_SECOND: UNLIMITED,
  RATE_LIMIT_ANONYMOUS_BURST: UNLIMITED,
  LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? "fatal",
  METRICS_TOKEN,
  ENCRYPTION_KEY,
};

/** A clock that runs at the usual pace from wherever it is set. */
export function adjustableClock() {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    set(time: string | Date) {
      aheadMs = new Date(time).getTime() - Date.now();
    },
    advance(ms: number) {
      aheadMs += ms;
    },
  };
}

let made = 0;

export type TestService = Awaited<ReturnType<typeof startTestService>>;

/**
 * @param environment settings as the environment would hold them
 * @param options `database`: one that another service has already (it stays when this one stops); `now`: the clock;
 *   `zone`: all that its DNS knows; `payments`: what stands in for the facilitator and the chain;
 *   `snsGet`: what stands in for Amazon SNS
 */
export async function startTestService(
  environment: Environment = {},
  options: {
    database?: Database;
    now?: () => Date;
    zone?: Zone;
    payments?: Services["payments"];
    snsGet?: SnsGet;
  } = {},
) {
  const database = options.database ?? (await createTestDatabase());
  const dataDir = await mkdtemp(join(tmpdir(), FOLDER_PREFIX));
  const environmentOf = { DATA_DIR: dataDir, ...DEFAULTS, ...environment };
  const settings = readSettings(environmentOf);
  const log = createLog(settings.LOG_LEVEL, false);
  const service = await startService(settings, log, database.url, {
    pages: false,
    now: options.now,
    // A test with a DNS server of its own uses the real resolver.
    dns: environment.DNS_SERVERS ? undefined : zoneDns(options.zone ?? {}),
    payments: options.payments,
    snsGet: options.snsGet,
  });
  const { system, metricsPort, smtpPort } = service;
  const url = `http://127.0.0.1:${service.port}`;

  async function enroll(token: string, handle = "bot"): Promise<{ agent_id: string; agent_key: string }> {
    const answer = await fetch(`${url}/v1/enroll`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, agent_handle: handle }),
    });
    if (answer.status !== 201) throw new Error(`POST /v1/enroll: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { agent_id: string; agent_key: string };
  }

  /** One more enrollment key of an organization, and an agent enrolled with it. */
  async function newEnrollment(
    organization: string,
    grant: {
      maxMailboxes?: number;
      allowedDomains?: string[] | undefined;
      scopes?: string[];
      inboxAccess?: InboxAccess;
      expiresAt?: Date;
    } = {},
  ) {
    const issued = await issueEnrollmentKey(system, {
      organization,
      max_mailboxes: grant.maxMailboxes ?? MAILBOXES,
      allowed_domains: grant.allowedDomains,
      scopes: grant.scopes ?? [...SCOPES],
      inbox_access: grant.inboxAccess,
      expires_at: grant.expiresAt?.toISOString(),
    });
    const agent = await enroll(issued.key);
    return {
      organizationId: organization,
      enrollmentKey: issued.key,
      enrollmentKeyId: issued.id,
      agentKey: agent.agent_key,
      agentId: agent.agent_id,
    };
  }

  return {
    url,
    smtpPort: smtpPort ?? 0,
    metricsPort,
    database,
    settings,
    /** The settings as the environment of another process would hold them. */
    environment: environmentOf,
    system,
    enroll,
    newEnrollment,
    /** An organization with an enrollment key and an agent that was enrolled with it. */
    async newOrganization(grant: Parameters<typeof newEnrollment>[1] = {}) {
      made += 1;
      const { id } = await createOrganization(system, `Organization ${made}`);
      return newEnrollment(id, grant);
    },
    /** The bearer key of an agent, with some scopes, for some inboxes, or until some time. */
    async newAgentKey(
      enrollmentKey: string,
      { expiresAt, ...grant }: { handle?: string; scopes?: string[]; inboxes?: string[]; expiresAt?: Date } = {},
    ) {
      const expires_at = expiresAt?.toISOString();
      return issueAgentKey(system, { enrollment_key: enrollmentKey, handle: "other-bot", expires_at, ...grant });
    },
    /** Hands a mail over by SMTP; resolves once it was accepted. */
    async mail(mail: {
      from: string;
      to: string | string[];
      subject?: string;
      text?: string;
      html?: string;
      attachments?: { filename: string; content: Buffer; contentType?: string; cid?: string }[];
      headers?: Record<string, string>;
      /** The whole mail as bytes, instead of what stands above; `from` and `to` are its envelope then. */
      raw?: string | Buffer;
    }): Promise<void> {
      const transport = createTransport({ host: "127.0.0.1", port: smtpPort, tls: { rejectUnauthorized: false } });
      try {
        const { from, to, raw } = mail;
        await transport.sendMail(raw === undefined ? { text: "Hello", ...mail } : { envelope: { from, to }, raw });
      } finally {
        transport.close();
      }
    },
    async stop() {
      await service.stop();
      if (!options.database) await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
