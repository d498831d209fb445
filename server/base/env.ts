// Defines every setting: name, default and validation. No other file reads the environment; .env.example lists the
// same.
import { createPublicKey } from "node:crypto";
import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { z } from "zod";
import { readAddressRange } from "./client-address.ts";
import { tracingProblems, tracingSettings } from "./settings/otel.ts";
import {
  allowedHost,
  bytes,
  databaseUrl,
  flag,
  list,
  optional,
  origin,
  port,
  positive,
  secrets,
  url,
} from "./settings/rules.ts";

// The settings of the store of raw mail and attachments.
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^([A-Za-z0-9_-][A-Za-z0-9._-]{0,63}\/){0,4}$/;
const REGION = /^[a-z0-9-]{1,64}$/;

const blobSettings = {
  /** Where new raw mail and attachments are written. */
  BLOBS: z.enum(["postgres", "s3"]).default("postgres"),
  S3_ENDPOINT: optional(
    url(/^https?$/).refine(
      (text) => !/[?#]/.test(text) && !URL.parse(text)?.username,
      "an address such as https://s3.example.com, without credentials",
    ),
  ),
  S3_REGION: z.string().regex(REGION, "a region such as eu-central-1").default("us-east-1"),
  S3_BUCKET: optional(z.string().regex(BUCKET, "the name of a bucket")),
  S3_ACCESS_KEY_ID: optional(z.string().regex(/^\S{1,256}$/, "a key without spaces")),
  S3_SECRET_ACCESS_KEY: optional(z.string().regex(/^\S{1,256}$/, "a key without spaces")),
  /** The bucket is in the path of requests, not in the host name. */
  S3_PATH_STYLE: flag.default(true),
  /** Stands before the names of all objects. */
  S3_PREFIX: z.string().regex(PREFIX, "a path that ends with /, such as mailberth/").default(""),
};

type Names = "S3_BUCKET" | "S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY";

/** Settings that are needed together. */
function blobNeeds({ BLOBS, S3_ENDPOINT }: { BLOBS: "postgres" | "s3"; S3_ENDPOINT?: string | undefined }) {
  const all: Names[] = ["S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"];
  const needs: [boolean, ("S3_ENDPOINT" | Names)[], string][] = [
    [BLOBS === "s3", ["S3_ENDPOINT"], "BLOBS=s3"],
    [S3_ENDPOINT !== undefined, all, "S3_ENDPOINT"],
  ];
  return needs;
}

/** Names that need no quotes in SQL; `drizzle` has the table of migrations of the schema `public`. */
const SCHEMA = /^(?!pg_|information_schema$|drizzle$)[a-z_][a-z0-9_]{0,62}$/;
const SCHEMA_RULE = "a name of lower-case letters, digits and _, which is not one of PostgreSQL's own";
const RAMP_PER_DAY = "20,30,50,75,100,150,200,300,400,500";
/** By default, so many mailboxes of one domain, and of one organization, can use their full cap on each day of SEND_CAP_RAMP. */
const MAILBOXES_AT_FULL_CAP = { domain: 10, organization: 20 };
/** After the last step of SEND_CAP_RAMP, these caps grow by half each day up to this one. */
const GROWN_CAP = 1_000_000;
const CAP_MAX = 2_000_000_000;
/** By default, so many agent keys of one enrollment key can use their full rate at the same time. */
const KEYS_AT_FULL_RATE = 10;
const KEY_BYTES = 32;
const ENV_FILE = ".env";
/** Settings whose value is never printed. */
const SECRET = /KEY|URL|TOKEN|SECRET|OTLP/;
const ETHEREUM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const TEST_FACILITATOR = "https://x402.org/facilitator";
const MAINNET = "eip155:8453";
const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

const COMPAT_APIS = ["agentmail", "resend"] as const;
export type CompatApi = (typeof COMPAT_APIS)[number];

export const TOPIC_ARN = /^arn:aws[a-z-]{0,10}:sns:([a-z]{2}[a-z0-9-]{1,30}):\d{12}:[A-Za-z0-9_.-]{1,256}$/;

function isEcdsaKey(base64: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, "base64"), format: "der", type: "spki" });
    return key.asymmetricKeyType === "ec";
  } catch {
    return false;
  }
}

const DNS_SERVER = /^(\d{1,3}(\.\d{1,3}){3}(:\d+)?|[0-9a-f:]+|\[[0-9a-f:]+\](:\d+)?)$/i;

const SPF_MECHANISMS = /^(?!all)[a-z0-9]+[:/][^\s"\\]{1,200}( +(?!all)[a-z0-9]+[:/][^\s"\\]{1,200}){0,9}$/;

const addressRange = z.string().transform((text, context) => {
  const range = readAddressRange(text);
  if (range) return range;
  const message = `${JSON.stringify(text)} is not an IP address or range such as 10.0.0.0/8`;
  context.issues.push({ code: "custom", message, input: text });
  return z.NEVER;
});

/** Recipients a day, by age in days. */
const ramp = list(z.coerce.number<string>().int().min(0).max(CAP_MAX));

const schema = z.object({
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: port.default(3000),
  SMTP_PORT: port.default(2525),
  /** Takes mail from mail programs with an agent key: by STARTTLS, and by TLS from the start. Unset: off. */
  SUBMISSION_PORT: optional(port),
  SUBMISSIONS_PORT: optional(port),
  /** The public address of this service, shown in the OpenAPI document and on the front page. */
  PUBLIC_URL: optional(url(/^https?$/)),
  /** Proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted. */
  TRUST_PROXY: optional(list(addressRange)),
  /** Spam filters through which all mail of theirs comes: their X-Spam-* headers count. */
  SPAM_FILTERS: list(addressRange).default([]),
  /** Origins whose pages may call the API with a key (CORS). */
  CORS_ORIGINS: list(origin).default([]),
  /** Results of MCP tools have their data as text too, for hosts that show a model only the text. */
  MCP_FULL_TEXT: flag.default(false),
  METRICS_TOKEN: optional(
    z.string().regex(/^\S{16,}$/, "at least 16 characters without spaces (openssl rand -hex 32)"),
  ),
  METRICS_PORT: optional(port),
  DATA_DIR: z.string().min(1).default(".data"),
  DATABASE_URL: optional(databaseUrl),
  /** PostgreSQL itself, if a connection pooler answers at DATABASE_URL. */
  DATABASE_DIRECT_URL: optional(databaseUrl),
  DATABASE_SCHEMA: z.string().regex(SCHEMA, SCHEMA_RULE).default("public"),
  DATABASE_POOL_SIZE: positive.max(200).default(10),
  /** Timeout of one statement. A request whose query times out gets 503 within two more seconds. */
  DATABASE_TIMEOUT_SECONDS: positive.max(600).default(15),
  /** The same for the queries of the API, at most DATABASE_TIMEOUT_SECONDS. */
  DATABASE_READ_TIMEOUT_SECONDS: positive.max(600).default(5),
  ROLES: list(z.enum(["web", "smtp", "worker"])).default(["web", "smtp", "worker"]),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace"]).default("info"),
  SERVICE_NAME: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9]{0,31}$/, "letters and digits, as in a header name")
    .default("Service"),
  DEFAULT_DOMAIN: z
    .string()
    .toLowerCase()
    .regex(DOMAIN, "a domain name such as mail.example.com")
    .default("mail.localhost"),
  SEND_CAP_RAMP: ramp.prefault(RAMP_PER_DAY),
  /** The ramp of all mailboxes of an organization below one registrable domain. */
  SEND_CAP_RAMP_DOMAIN: optional(ramp),
  /** The ramp of all mailboxes of an organization. */
  SEND_CAP_RAMP_ORGANIZATION: optional(ramp),
  ...blobSettings,
  /** Bytes of stored mail; 0: no quota. */
  STORAGE_QUOTA_PER_INBOX: bytes.default(1_073_741_824),
  STORAGE_QUOTA_PER_ORGANIZATION: bytes.default(10_737_418_240),
  /** Without it, mail is kept until it is deleted. */
  RETENTION_DAYS_MESSAGES: optional(positive),
  /** Deleted mail can be restored for so long. */
  RETENTION_DAYS_TRASH: positive.default(30),
  /** Changes of agent keys can be listed and undone for so long. */
  RETENTION_DAYS_ACTIVITY: positive.default(30),
  RETENTION_DAYS_AUDIT: positive.default(365),
  RETENTION_DAYS_EVENTS: positive.default(30),
  /** Finished deliveries; pending ones stay. */
  RETENTION_DAYS_DELIVERIES: positive.default(30),
  RETENTION_DAYS_ATTEMPTS: positive.default(30),
  RETENTION_DAYS_NOTICES: positive.default(30),
  RATE_LIMIT_PER_SECOND: positive.default(20),
  RATE_LIMIT_BURST: positive.default(100),
  /** All agents of an enrollment key together. */
  RATE_LIMIT_ENROLLMENT_PER_SECOND: optional(positive),
  RATE_LIMIT_ENROLLMENT_BURST: optional(positive),
  /** Callers without a valid key or session, by client address. */
  RATE_LIMIT_ANONYMOUS_PER_SECOND: positive.default(20),
  RATE_LIMIT_ANONYMOUS_BURST: positive.default(400),
  MAX_KEYS_PER_AGENT: positive.default(100),
  MAX_KEYS_PER_ENROLLMENT_KEY: positive.default(10_000),
  /** Active keys that one agent key has issued itself. */
  MAX_ISSUED_KEYS_PER_KEY: positive.default(100),
  /** Waits and event streams that the keys of one agent may have open at the same time, in each process. */
  MAX_WAITS_PER_KEY: positive.default(200),
  /** Resolvers for sender authentication, `ip` or `ip:port`; by default the system's. */
  DNS_SERVERS: optional(list(z.string().regex(DNS_SERVER, "an IP address, with or without a port"))),
  SMTP_HOSTNAME: optional(z.string().min(1)),
  /** What the SPF records of domains contain: the servers that mail leaves from. */
  SPF_MECHANISMS: optional(z.string().regex(SPF_MECHANISMS, "SPF mechanisms such as a:mx.example.com, with spaces")),
  /** Gets notices of mail to postmaster@DEFAULT_DOMAIN; by default the owners of the first organization. */
  POSTMASTER_ADDRESS: optional(z.email()),
  SMTP_TLS_CERT: optional(z.string()),
  SMTP_TLS_KEY: optional(z.string()),
  /**
   * Connections that one client address may have open, in each process; all addresses of an IPv6 /64 count together.
   */
  SMTP_CONNECTIONS_PER_ADDRESS: positive.default(20),
  SMTP_MAX_BYTES: positive.default(26_214_400),
  WEBHOOK_TARGETS: optional(z.enum(["public", "any"])),
  ALLOW_INSECURE_WEBHOOKS: optional(flag),
  MAX_WEBHOOKS_PER_ORGANIZATION: positive.default(2_000),
  /** The same limit applies to webhooks for all mailboxes. */
  MAX_WEBHOOKS_PER_MAILBOX: positive.default(100),
  /** Of one organization, with the same scheme, host and port. */
  MAX_WEBHOOKS_PER_ORIGIN: positive.default(1_000),
  /** Requests per second to one scheme, host and port, from each process and for all organizations together. */
  WEBHOOK_RATE_PER_ORIGIN: positive.default(500),
  /** Hosts that webhooks may reach although their addresses are not public. */
  WEBHOOK_ALLOWED_HOSTS: optional(list(allowedHost)),
  /** Hosts that remote pictures of mail may be loaded from although their addresses are not public. */
  PICTURE_ALLOWED_HOSTS: optional(list(allowedHost)),
  /** Hosts whose files agents may attach by URL although their addresses are not public. */
  ATTACHMENT_ALLOWED_HOSTS: optional(list(allowedHost)),
  ENCRYPTION_KEY: optional(
    z
      .base64()
      .transform((text) => Buffer.from(text, "base64"))
      .refine((key) => key.length === KEY_BYTES, `${KEY_BYTES} bytes in base64 (openssl rand -base64 ${KEY_BYTES})`),
  ),
  /** The APIs of other services that are served below /compat. By default both on a developer's machine, none elsewhere. */
  COMPAT_APIS: optional(list(z.enum(COMPAT_APIS))),
  /** Members can sign in with their company account (OpenID Connect). */
  OIDC_ISSUER: optional(
    url(/^https?$/).refine((text) => {
      const { protocol, hostname, username, search, hash } = new URL(text);
      return (protocol === "https:" || isLoopback(hostname)) && !username && !search && !hash;
    }, "an https URL without credentials, ? and #; http only on loopback"),
  ),
  OIDC_CLIENT_ID: optional(z.string().regex(/^[\x21-\x7e]{1,256}$/, "the id of a client, without spaces")),
  OIDC_CLIENT_SECRET: optional(z.string().regex(/^[\x21-\x7e]{1,512}$/, "the secret of a client, without spaces")),
  /** Whose mail addresses may sign in with the company account. */
  OIDC_ALLOWED_DOMAINS: optional(list(z.string().toLowerCase().regex(DOMAIN, "domain names such as example.com"))),
  /** The account's name on the button. */
  OIDC_NAME: z
    .string()
    .regex(/^[^\p{Cc}<>]{1,40}$/u, "1 to 40 characters in one line")
    .default("company account"),
  OUTBOUND: z.enum(["local", "smtp", "resend"]).default("local"),
  OUTBOUND_SMTP_URL: optional(url(/^smtps?$/)),
  RESEND_API_KEY: optional(z.string().min(1)),
  /** The signing secret of the webhook in Resend that posts to this service. */
  RESEND_WEBHOOK_SECRET: optional(
    z.string().regex(/^whsec_[A-Za-z0-9+/]{4,}={0,2}$/, "the signing secret of a webhook, whsec_…"),
  ),
  /** The topics of Amazon SNS that post events of Amazon SES. */
  SES_TOPIC_ARNS: optional(
    list(z.string().regex(TOPIC_ARN, "ARNs of SNS topics, such as arn:aws:sns:eu-west-1:123456789012:mail")),
  ),
  POSTMARK_WEBHOOK_SECRET: optional(
    secrets(z.string().regex(/^[\x21-\x2b\x2d-\x7e]{16,256}$/, "at least 16 characters without spaces and commas")),
  ),
  MAILGUN_SIGNING_KEY: optional(
    secrets(z.string().regex(/^[\x21-\x2b\x2d-\x7e]{16,256}$/, "the HTTP webhook signing key of Mailgun")),
  ),
  SENDGRID_PUBLIC_KEY: optional(
    secrets(z.string().refine(isEcdsaKey, "the verification key of SendGrid's Event Webhook, in base64")),
  ),
  RESEND_BASE_URL: url(/^https?$/).default("https://api.resend.com"),
  PAYMENTS_ENABLED: flag.default(false),
  PAYMENTS_NETWORK: z.enum(["eip155:84532", MAINNET]).default("eip155:84532"),
  PAYMENTS_ALLOW_MAINNET: flag.default(false),
  /** This URL is in every payment request, so it must hold no secrets and no characters that end a header field. */
  PAYMENTS_FACILITATOR_URL: url(/^https?$/)
    .regex(/^[^;,@\s]+$/, "a URL without credentials")
    // Normalizes the URL, so that the test network's facilitator is recognized in every spelling.
    .transform((text) => new URL(text).href.replace(/[?#]?$/, "").replace(/\/+$/, ""))
    .default(TEST_FACILITATOR),
  PAYMENTS_RPC_URL: optional(url(/^https?$/)),
  PAYMENTS_PAY_TO: optional(z.string().regex(ETHEREUM_ADDRESS, "an address, 0x and 40 hexadecimal digits")),
  /** In the asset's smallest unit: USDC has six decimals. */
  PAYMENTS_PRICE_PER_MAILBOX: z
    .string()
    .regex(/^[1-9][0-9]{0,17}$/, "a whole number above 0, in the asset's smallest unit")
    .default("100000"),
  CDP_API_KEY_ID: optional(z.string().min(1)),
  CDP_API_KEY_SECRET: optional(z.string().min(1)),
  ...tracingSettings,
});

export type Settings = Omit<
  z.infer<typeof schema>,
  | "SEND_CAP_RAMP_DOMAIN"
  | "SEND_CAP_RAMP_ORGANIZATION"
  | "RATE_LIMIT_ENROLLMENT_PER_SECOND"
  | "RATE_LIMIT_ENROLLMENT_BURST"
  | "PUBLIC_URL"
  | "WEBHOOK_TARGETS"
  | "ALLOW_INSECURE_WEBHOOKS"
  | "COMPAT_APIS"
  | "SMTP_HOSTNAME"
  | "SPF_MECHANISMS"
> & {
  /** Without a slash at its end. */
  PUBLIC_URL: string;
  WEBHOOK_TARGETS: "public" | "any";
  ALLOW_INSECURE_WEBHOOKS: boolean;
  COMPAT_APIS: CompatApi[];
  /**
   * Whether only this machine can reach the service, so that /metrics needs no token. Derived from HOST and PUBLIC_URL.
   */
  LOCAL_ONLY: boolean;
  SMTP_HOSTNAME: string;
  SPF_MECHANISMS: string;
  SEND_CAP_RAMP_DOMAIN: number[];
  SEND_CAP_RAMP_ORGANIZATION: number[];
  RATE_LIMIT_ENROLLMENT_PER_SECOND: number;
  RATE_LIMIT_ENROLLMENT_BURST: number;
};

/** Names of all settings, in the order of .env.example. */
export const SETTING_NAMES = Object.keys(schema.shape) as (keyof z.infer<typeof schema>)[];

/** All ports that the settings reserve for this service; 0 means any free port. */
export function portsIn(settings: Settings): number[] {
  return SETTING_NAMES.filter((name) => /(^|_)PORT$/.test(name))
    .map((name) => settings[name])
    .filter((port) => typeof port === "number");
}

/** @param host a name or an IP address, IPv6 with or without brackets */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIP(bare) !== 0) return bare === "::1" || (isIP(bare) === 4 && bare.startsWith("127."));
  return bare === "localhost" || bare.endsWith(".localhost");
}

const OIDC_NAMES: ("OIDC_ISSUER" | "OIDC_CLIENT_ID" | "OIDC_CLIENT_SECRET" | "OIDC_ALLOWED_DOMAINS")[] = [
  "OIDC_ISSUER",
  "OIDC_CLIENT_ID",
  "OIDC_CLIENT_SECRET",
  "OIDC_ALLOWED_DOMAINS",
];

function missingTogether(settings: z.infer<typeof schema>): string[] {
  const needs: [boolean, (keyof typeof settings)[], string][] = [
    [settings.OUTBOUND === "smtp", ["OUTBOUND_SMTP_URL"], "OUTBOUND=smtp"],
    [settings.OUTBOUND === "resend", ["RESEND_API_KEY"], "OUTBOUND=resend"],
    [Boolean(settings.RESEND_WEBHOOK_SECRET), ["RESEND_API_KEY"], "RESEND_WEBHOOK_SECRET"],
    [Boolean(settings.DATABASE_DIRECT_URL), ["DATABASE_URL"], "DATABASE_DIRECT_URL"],
    [Boolean(settings.SMTP_TLS_CERT), ["SMTP_TLS_KEY"], "SMTP_TLS_CERT"],
    [Boolean(settings.SMTP_TLS_KEY), ["SMTP_TLS_CERT"], "SMTP_TLS_KEY"],
    [settings.PAYMENTS_ENABLED, ["PAYMENTS_RPC_URL", "PAYMENTS_PAY_TO"], "PAYMENTS_ENABLED=true"],
    [Boolean(settings.CDP_API_KEY_ID), ["CDP_API_KEY_SECRET"], "CDP_API_KEY_ID"],
    [OIDC_NAMES.some((name) => settings[name]), OIDC_NAMES, "another setting of company sign-in"],
    [Boolean(settings.CDP_API_KEY_SECRET), ["CDP_API_KEY_ID"], "CDP_API_KEY_SECRET"],
    ...blobNeeds(settings),
  ];
  const missing = needs.flatMap(([applies, names, why]) =>
    applies ? names.filter((name) => !settings[name]).map((name) => `${name}: required with ${why}`) : [],
  );
  return [...missing, ...realMoneyProblems(settings), ...tracingProblems(settings)];
}

/** Real money needs two settings: PAYMENTS_ALLOW_MAINNET and a facilitator that the operator chose. */
function realMoneyProblems(settings: z.infer<typeof schema>): string[] {
  if (!settings.PAYMENTS_ENABLED || settings.PAYMENTS_NETWORK !== MAINNET) return [];
  const problems: string[] = [];
  if (!settings.PAYMENTS_ALLOW_MAINNET) problems.push(`PAYMENTS_ALLOW_MAINNET: must be true for ${MAINNET}`);
  const facilitator = new URL(settings.PAYMENTS_FACILITATOR_URL);
  if (settings.PAYMENTS_FACILITATOR_URL === TEST_FACILITATOR) {
    problems.push("PAYMENTS_FACILITATOR_URL: the default is for the test network");
  } else if (facilitator.protocol !== "https:" && !isLoopback(facilitator.hostname)) {
    problems.push(`PAYMENTS_FACILITATOR_URL: must be https for ${MAINNET}`);
  }
  return problems;
}

/** The steps of so many mailboxes together, and then half as much again each day. */
function rampOfMany(ramp: number[], mailboxes: number): number[] {
  const steps = ramp.map((cap) => Math.min(cap * mailboxes, CAP_MAX));
  let cap = steps.at(-1) ?? 0;
  while (cap > 0 && cap < GROWN_CAP) {
    cap = Math.min(Math.ceil(cap * 1.5), GROWN_CAP);
    steps.push(cap);
  }
  return steps;
}

/** The environment; a file `.env` in the working directory provides values that it does not set. */
export function environmentWithFile(): Record<string, string | undefined> {
  if (existsSync(ENV_FILE)) process.loadEnvFile(ENV_FILE);
  return process.env;
}

/**
 * Reads and checks all settings.
 * @throws Error whose message lists every invalid setting and its rule, one per line
 */
export function readSettings(environment: Record<string, string | undefined> = environmentWithFile()): Settings {
  // An empty setting counts as not set.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(given);
  const problems = parsed.success
    ? missingTogether(parsed.data)
    : parsed.error.issues.map((issue) => {
        const name = String(issue.path[0]);
        const is = SECRET.test(name) ? "" : ` (is ${JSON.stringify(given[name])})`;
        return `${name}: ${issue.message}${is}`;
      });
  if (!parsed.success || problems.length > 0) {
    throw new Error(`Bad settings (see .env.example):\n${problems.map((line) => `  ${line}`).join("\n")}`);
  }
  const settings = parsed.data;
  // Only a developer's machine posts webhooks into its own network: no public URL, and no database of several workers.
  const isPublished = settings.PUBLIC_URL !== undefined && !isLoopback(new URL(settings.PUBLIC_URL).hostname);
  const hostname = settings.SMTP_HOSTNAME ?? settings.DEFAULT_DOMAIN;
  const isDeveloperMachine = isLoopback(settings.HOST) && !isPublished && settings.DATABASE_URL === undefined;
  return {
    ...settings,
    PUBLIC_URL: (settings.PUBLIC_URL ?? `http://${settings.HOST}:${settings.PORT}`).replace(/\/+$/, ""),
    WEBHOOK_TARGETS: settings.WEBHOOK_TARGETS ?? (isDeveloperMachine ? "any" : "public"),
    LOCAL_ONLY: isLoopback(settings.HOST) && !isPublished,
    SEND_CAP_RAMP_DOMAIN:
      settings.SEND_CAP_RAMP_DOMAIN ?? rampOfMany(settings.SEND_CAP_RAMP, MAILBOXES_AT_FULL_CAP.domain),
    SEND_CAP_RAMP_ORGANIZATION:
      settings.SEND_CAP_RAMP_ORGANIZATION ?? rampOfMany(settings.SEND_CAP_RAMP, MAILBOXES_AT_FULL_CAP.organization),
    RATE_LIMIT_ENROLLMENT_PER_SECOND:
      settings.RATE_LIMIT_ENROLLMENT_PER_SECOND ?? KEYS_AT_FULL_RATE * settings.RATE_LIMIT_PER_SECOND,
    RATE_LIMIT_ENROLLMENT_BURST: settings.RATE_LIMIT_ENROLLMENT_BURST ?? KEYS_AT_FULL_RATE * settings.RATE_LIMIT_BURST,
    ALLOW_INSECURE_WEBHOOKS: settings.ALLOW_INSECURE_WEBHOOKS ?? isDeveloperMachine,
    COMPAT_APIS: settings.COMPAT_APIS ?? (isDeveloperMachine ? [...COMPAT_APIS] : []),
    SMTP_HOSTNAME: hostname,
    SPF_MECHANISMS: settings.SPF_MECHANISMS ?? `a:${hostname}`,
  };
}

/** Sets what Next and React read: the kind of build, no telemetry, and no handling of this process's rejections. */
export function setPagesEnvironment(dev: boolean): void {
  Object.assign(process.env, {
    NODE_ENV: dev ? "development" : "production",
    NEXT_TELEMETRY_DISABLED: "1",
    NEXT_UNHANDLED_REJECTION_FILTER: "disabled",
    // Set by `next build --experimental-next-config-strip-types`: Node reads next.config.ts.
    __NEXT_NODE_NATIVE_TS_LOADER_ENABLED: "true",
    MAILBERTH_SERVER: "own", // for instrumentation.ts and next.config.ts: Next serves the pages alone
  });
}

/**
 * The environment of a thread. Under `node --watch` a program reports its imports, which Node refuses to threads: each of them would end as
 * it starts.
 */
export function threadEnvironment(): NodeJS.ProcessEnv {
  const { WATCH_REPORT_DEPENDENCIES: _, ...env } = process.env;
  return env;
}
