// What `doctor` finds out about a service over HTTP: health, version, clock, key, domains, webhooks.
import packageJson from "../../../package.json" with { type: "json" };
import type { Client, RouterOutputs } from "../../index.ts";
import { EXIT } from "../exit-codes.ts";
import { describeProblem } from "../problem.ts";

const CHECK_MAX_MS = 10_000;
const PAGE_ROWS = 100;
const PAGES_MAX = 20;
/** Receivers refuse a delivery whose time differs by more (the contract, §6). */
const CLOCK_MAX_SECONDS = 300;
const CLOCK_WARNING_SECONDS = 30;
const KEY_WARNING_MS = 7 * 86_400_000;

export type Check = {
  name: string;
  status: "ok" | "warning" | "failed" | "skipped";
  message: string;
  /** What to do. Null: nothing. */
  fix: string | null;
};
type Domain = RouterOutputs["domains"]["get"];
type Webhook = RouterOutputs["webhooks"]["list"]["data"][number];

const ok = (name: string, message: string): Check => ({ name, status: "ok", message, fix: null });
export const skipped = (name: string, message: string, fix: string | null = null): Check => ({
  name,
  status: "skipped",
  message,
  fix,
});
export const failed = (name: string, message: string, fix: string): Check => ({ name, status: "failed", message, fix });
export const warning = (name: string, message: string, fix: string): Check => ({
  ...failed(name, message, fix),
  status: "warning",
});
export { ok as passed };

/** The service, its version and its clock, by one request for readiness. */
export async function checkService(url: string, stop: AbortSignal): Promise<Check[]> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(CHECK_MAX_MS)]);
  const asked = Date.now();
  let answer: Response;
  let body: unknown;
  try {
    answer = await fetch(`${url}/health/ready`, { signal });
    body = await answer.json();
  } catch (error) {
    return [failed("service", describeProblem(error, url).text, "Start the service, or correct the URL.")];
  }
  const facts = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  if (typeof facts.version !== "string") {
    const message = `${url} answered ${answer.status}, but not as Mailberth does.`;
    return [failed("service", message, "Correct the URL, or the proxy before the service.")];
  }
  return [
    readiness(answer.status, facts),
    ...checkStorage(facts.blobs),
    checkVersion(facts.version),
    checkClock(answer, asked),
  ];
}

function readiness(status: number, facts: Record<string, unknown>): Check {
  if (status === 200) return ok("service", "The service is ready.");
  const parts = ["status", "database", "writes", "pages"].filter((part) => part in facts);
  const message = `The service is not ready: ${parts.map((part) => `${part} ${facts[part]}`).join(", ")}.`;
  return failed("service", message, "Read the log of the service. It needs its database, and free space on the disk.");
}

const WITHOUT_STORAGE = "New mail is deferred, and raw mail and attachments cannot be read";
const STORAGE: Record<string, [message: string, fix: string]> = {
  unavailable: [
    `S3 does not answer. ${WITHOUT_STORAGE}.`,
    "Check that S3 runs, and that the service reaches S3_ENDPOINT. The log of the service has the reason.",
  ],
  refused: [
    `S3 refuses the service. ${WITHOUT_STORAGE}.`,
    "Correct S3_BUCKET, S3_REGION and the credentials. The log of the service has the code of S3.",
  ],
  full: ["S3 is full. New mail is deferred; stored mail can be read.", "Give the bucket more space."],
  damaged: [
    `S3 does not return what was written. ${WITHOUT_STORAGE}.`,
    "Set S3_ENDPOINT to the address of the S3 API.",
  ],
  wrong_key: [
    "The mail in S3 was encrypted with another ENCRYPTION_KEY, and cannot be read.",
    "Set the same ENCRYPTION_KEY in every process. The log of the service says what to do if it is lost.",
  ],
};

/** Nothing for a service without S3. */
function checkStorage(state: unknown): Check[] {
  if (typeof state !== "string") return [];
  if (state === "ok") return [ok("storage", "S3 takes and returns mail and attachments.")];
  const [message, fix] = STORAGE[state] ?? [`S3 cannot be used: ${state}.`, "Read the log of the service."];
  return [failed("storage", message, fix)];
}

function checkVersion(version: string): Check {
  const own = packageJson.version;
  const release = (text: string) => text.split(".").slice(0, 2).join(".");
  if (release(version) === release(own)) return ok("version", `The service has version ${version}.`);
  return warning(
    "version",
    `The service has version ${version}, this command ${own}.`,
    "Install the same version of both.",
  );
}

function checkClock(answer: Response, asked: number): Check {
  const theirs = Date.parse(answer.headers.get("Date") ?? "");
  if (Number.isNaN(theirs)) return skipped("clock", "The answer has no Date header.");
  // The header has whole seconds, and was written between the request and now.
  const seconds = Math.max(0, Math.round(Math.max(asked - 1_000 - theirs, theirs - Date.now()) / 1_000));
  const message = `The clocks differ by ${seconds} s.`;
  const fix =
    "Synchronize both clocks by NTP: signatures and signed payments hold for a few minutes, codes of a second factor for one minute.";
  if (seconds > CLOCK_MAX_SECONDS) return failed("clock", message, fix);
  return seconds > CLOCK_WARNING_SECONDS ? warning("clock", message, fix) : ok("clock", message);
}

/** The key, and where mail programs use it, if they can. */
export async function checkKey(client: Client): Promise<Check[]> {
  try {
    const { agent_handle, expires_at, quota, submission } = await client.auth.me.query(undefined);
    const left = `The key is of the agent ${agent_handle}, with ${quota.remaining} mailboxes left.`;
    const isShort = expires_at !== null && Date.parse(expires_at) - Date.now() < KEY_WARNING_MS;
    const again = "Enroll again before: mailberth enroll <enrollment key>.";
    const key = isShort ? warning("key", `${left} It expires at ${expires_at}.`, again) : ok("key", left);
    return [key, ...submissionPorts(submission)];
  } catch (error) {
    return [failed("key", describeProblem(error).text, "Enroll again: mailberth enroll <enrollment key>.")];
  }
}

/** Nothing where submission is off. An earlier version does not say. */
function submissionPorts(submission: RouterOutputs["auth"]["me"]["submission"] | undefined): Check[] {
  if (!submission) return [];
  const { host, starttls_port, tls_port } = submission;
  const ports = [starttls_port && `${starttls_port} (STARTTLS)`, tls_port && `${tls_port} (TLS)`].filter(Boolean);
  return [ok("submission", `Mail programs send through ${host}, port ${ports.join(" or ")}.`)];
}

type Page<Row> = { data: Row[]; next_cursor: string | null };

/** A check for each row of a list; a key without the scope cannot read it. */
async function checkRows<Row>(
  name: string,
  read: (page: { limit: number; cursor?: string }) => Promise<Page<Row>>,
  judge: (row: Row) => Check,
): Promise<Check[]> {
  const checks: Check[] = [];
  let cursor: string | undefined;
  try {
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const page = await read({ limit: PAGE_ROWS, cursor });
      checks.push(...page.data.map(judge));
      if (page.next_cursor === null) return checks.length > 0 ? checks : [skipped(name, `There are no ${name}.`)];
      cursor = page.next_cursor;
    }
    return [
      ...checks,
      skipped(name, `There are more than ${PAGES_MAX * PAGE_ROWS} ${name}; the others were not read.`),
    ];
  } catch (error) {
    const { exit, text } = describeProblem(error);
    if (exit === EXIT.unauthorized) return [skipped(name, text, `Use a key that may read ${name}.`)];
    return [failed(name, text, "Repeat; give the operator this message if it fails again.")];
  }
}

const WAYS: Record<string, string> = { local: "this service", return_path: "the return path" };

/** @param outcomes missing: the service is older than this command */
function wayOf(outcomes: Domain["outcomes"] | undefined): string {
  if (!outcomes) return "";
  const ways = outcomes.by.map((way) => WAYS[way] ?? `events of ${way}`);
  return `, outcomes by ${ways.join(" and ") || "nothing"}`;
}

export const checkDomains = (client: Client) =>
  checkRows("domains", (page) => client.domains.list.query(page), judgeDomain);

function judgeDomain({ domain, status, granted, sending, receiving, outcomes, records }: Domain): Check {
  const name = `domain ${domain}`;
  const message = `${status}, sending ${sending.status}, receiving ${receiving.status}${wayOf(outcomes)}.`;
  if (status === "verified" && sending.status === "ready" && receiving.status === "ready") {
    const fix = "See docs/guides/relays.md.";
    return outcomes?.reason ? warning(name, `${message} ${outcomes.reason}`, fix) : ok(name, message);
  }
  const fixes = records
    .filter((record) => record.status !== "found")
    .map(({ type, name: at, value, fix }) => fix ?? `Add the ${type} record ${at} with the value ${value}.`);
  if (granted && status === "pending") {
    if (sending.status === "ready" && receiving.status === "ready") return ok(name, `granted, ${message}`);
    return skipped(name, `granted, ${message} ${sending.reason ?? receiving.reason ?? ""}`.trimEnd(), fixes.join(" "));
  }
  return failed(name, message, [...fixes, `Then run \`mailberth domains verify ${domain}\`.`].join(" "));
}

export const checkWebhooks = (client: Client) =>
  checkRows("webhooks", (page) => client.webhooks.list.query(page), judgeWebhook);

function judgeWebhook({ id, url, active, disabled_reason, failing_since }: Webhook): Check {
  const name = `webhook ${id}`;
  if (!active) {
    const fix = "Make the endpoint answer 2xx, then enable the webhook: PATCH /v1/webhooks/{id} with `active: true`.";
    return failed(name, `${url} is disabled: ${disabled_reason ?? "no reason given"}`, fix);
  }
  if (failing_since === null) return ok(name, `${url} is active.`);
  const fix = "Make the endpoint answer 2xx. GET /v1/webhooks/{id}/deliveries shows each attempt.";
  return failed(name, `${url} has failed since ${failing_since}.`, fix);
}
