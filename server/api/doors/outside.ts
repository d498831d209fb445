// Finds the door of paths that are for neither agents nor members: the mail provider, apps that sign in, mail servers that ask
// for a policy, and the links of mails: approvals, addresses for notices, and unsubscription.
import type { IncomingMessage, ServerResponse } from "node:http";
import { isVerifiable, loadCertificate } from "../../base/certificate.ts";
import type { Client } from "../../base/client-address.ts";
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { POLICY_HOST, policyText } from "../../domains/dns/mta-sts.ts";
import { isHosted } from "../../grants/hosted.ts";
import { findProvider, takeProviderEvents } from "../../receiving/provider/take-event.ts";
import { readUnsubscription, UNSUBSCRIBE_BASE, unsubscribe } from "../../recipients/suppressions/unsubscribe.ts";
import { decideByLink, findByLink } from "../../sending/reviews/by-link.ts";
import type { WholeReview } from "../../sending/reviews/get.ts";
import { REVIEW_BASE } from "../../sending/reviews/link.ts";
import { readRawBody } from "../bodies/body.ts";
import type { HoldBytes } from "../bodies/body-budget.ts";
import { escapeHtml, type LinkNeeds, problemPage, sendLinkPage, takeLinkRequest } from "./link-page.ts";
import { handleNoticeAddress, isNoticeAddress } from "./notice-address-door.ts";
import { handleOAuth, isOAuth } from "./oauth-door.ts";

// Serves unsubscribe links (RFC 8058): GET shows a page with a button and changes nothing, because scanners open links;
// POST unsubscribes.
const UNSUBSCRIBE_TITLE = "Unsubscribe";
const ASK = '<p>Stop mail from this sender?</p><form method="post"><button>Unsubscribe</button></form>';
const DONE = "<p>You are unsubscribed. This sender can no longer send you mail.</p>";

const isUnsubscribe = (path: string) => path.startsWith(UNSUBSCRIBE_BASE);

/**
 * Answers one request below /unsubscribe; `route` is its path for logs and metrics.
 * @throws ServiceError `not_found`, `method_not_allowed`, `rate_limited`
 */
async function handleUnsubscribe(needs: LinkNeeds, req: IncomingMessage, res: ServerResponse, path: string) {
  const { services } = needs;
  const method = takeLinkRequest(needs, req);
  const who = readUnsubscription(services, path.slice(UNSUBSCRIBE_BASE.length));
  if (method === "POST") await unsubscribe(services, who);
  sendLinkPage(res, method, { title: UNSUBSCRIBE_TITLE, content: method === "POST" ? DONE : ASK });
  return { door: "unsubscribe", route: `${UNSUBSCRIBE_BASE}{token}` };
}

// Takes the events of mail providers at /v1/providers/{name}/events. Not a procedure: the signature covers the raw body, and
// providers have no key (docs/decisions/036).
const PROVIDER_EVENTS_PATH = /^\/v1\/providers\/([a-z]{1,20})\/events$/;
const RETRY_AFTER_SECONDS = "10";

type Door = {
  services: Services;
  limits: { takeAnonymous(network: string): void };
  holdFor(res: ServerResponse, holder: string): HoldBytes;
};

type Provider = NonNullable<ReturnType<typeof findProvider>>;

/** Undefined for other paths, and for a provider whose secret is not set. */
function providerAt(path: string, services: Services): Provider | undefined {
  const name = PROVIDER_EVENTS_PATH.exec(path)?.[1];
  return name === undefined ? undefined : findProvider(services, name);
}

/** @throws ServiceError `unauthorized` if the provider did not write this, `rate_limited` after many of these */
async function handleProviderEvents(
  { services, limits, holdFor }: Door,
  { provider: { name: provider, events: port }, client }: { provider: Provider; client: Client },
  req: IncomingMessage,
  res: ServerResponse,
) {
  const { metrics, log } = services;
  if (req.method !== "POST") {
    const headers = { Allow: "POST" };
    throw new ServiceError("method_not_allowed", `This path does not support ${req.method}.`, { headers });
  }
  const body = await readRawBody(req, { maxBytes: port.maxBytes, hold: holdFor(res, client.network) });
  const events = await port.read(body, req.headers);
  if (!events) {
    metrics.providerEvents.inc({ provider, result: "refused" });
    // Only after the signature: a flood from one address must not lock out the provider behind the same proxy.
    limits.takeAnonymous(client.network);
    throw new ServiceError("unauthorized", `The body has no valid signature of ${provider}, or it is too old.`, {
      fix: port.fix,
    });
  }
  if (events === "later") {
    limits.takeAnonymous(client.network);
    const headers = { "Retry-After": RETRY_AFTER_SECONDS };
    throw new ServiceError("unavailable", "The signature cannot be checked now.", { headers });
  }
  if (events === "malformed") {
    metrics.providerEvents.inc({ provider, result: "malformed" });
    throw new ServiceError("invalid_request", "The body is signed, but it is not an event that this service can read.");
  }
  const results = await takeProviderEvents(services, events);
  for (const [result, count] of Object.entries(results)) metrics.providerEvents.inc({ provider, result }, count);
  log.debug({ provider, results }, "provider events taken");
  res.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  res.end(JSON.stringify({ results }));
  return { door: "provider", route: `/v1/providers/${provider}/events` };
}

// Serves the links of emails that ask for the approval of a message: GET shows the message and changes nothing, because
// scanners open links; POST decides.
// Writes the page of a held message as HTML without scripts and styles.
type Content = WholeReview["revisions"][number]["content"];

const FORMS =
  '<form method="post" action="?decision=approve"><button>Approve and send</button></form>' +
  '<form method="post" action="?decision=reject"><button>Reject</button></form>';

/** The message as it would leave, and the buttons if it still waits and is the one of the email. */
function reviewPage(review: WholeReview, { isCurrent, now }: { isCurrent: boolean; now: Date }): string {
  const content = review.revisions.at(-1)?.content;
  const state = stateOf(review, now);
  if (state) return `<h1>Decided</h1><p>${escapeHtml(state)}</p>`;
  if (!isCurrent || !content) {
    return "<h1>The message was changed</h1><p>It is not the one of your mail any more. Open Approvals in the dashboard.</p>";
  }
  const why = review.cause === "key_revoked" ? " It was held because the key that wrote it was revoked." : "";
  const until = `<p>It waits until ${review.expires_at.toISOString()}.${why}</p>`;
  return `<h1>Approve this message?</h1>${until}${headersOf(review, content)}${bodyOf(content)}${FORMS}`;
}

function stateOf({ status, decided_by, expires_at }: WholeReview, now: Date): string | undefined {
  if (status === "pending" && expires_at > now) return;
  const shown = status === "pending" ? "expired" : status;
  return `This message is ${shown}${decided_by === null ? "" : `, by ${decided_by}`}.`;
}

function headersOf(review: WholeReview, content: Content): string {
  const { inbox, from_name, reply_to, headers, attachments, hash } = review;
  const lines: [string, string][] = [
    ["From", from_name ? `${from_name} <${inbox}>` : inbox],
    ["To", content.to.join(", ")],
    ["Cc", content.cc.join(", ")],
    ["Bcc", content.bcc.join(", ")],
    ["Reply-To", reply_to.join(", ")],
    ["Subject", content.subject],
    ...(headers ?? []),
    ["Attachments", attachments.map(({ filename, size }) => `${filename ?? "attachment"} (${size} bytes)`).join(", ")],
    ["SHA-256", hash.toString("hex")],
  ];
  const shown = lines.filter(([, value]) => value !== "");
  return `<dl>${shown.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join("")}</dl>`;
}

/** The HTML as text: it must not run here, and what it hides must be seen. */
function bodyOf({ text, html }: Content): string {
  const plain = text === null ? "" : `<h2>Text</h2><pre>${escapeHtml(text)}</pre>`;
  return html === null ? plain : `${plain}<h2>HTML, as source</h2><pre>${escapeHtml(html)}</pre>`;
}

const APPROVE_TITLE = "Approve a message";
const DECISIONS = { approve: "The message is approved and will be sent.", reject: "The message is rejected." };

type Decision = keyof typeof DECISIONS;

const isReview = (path: string) => path.startsWith(REVIEW_BASE);

/**
 * Answers one request below /review; `route` is its path for logs and metrics.
 * @throws ServiceError `method_not_allowed`, `rate_limited`
 */
async function handleReview(needs: LinkNeeds, req: IncomingMessage, res: ServerResponse, path: string) {
  const { services } = needs;
  const method = takeLinkRequest(needs, req);
  const token = path.slice(REVIEW_BASE.length);
  const work = method === "POST" ? decide(services, token, decisionOf(req)) : show(services, token);
  sendLinkPage(res, method, { title: APPROVE_TITLE, ...(await work.catch(problemPage)) });
  return { door: "review", route: `${REVIEW_BASE}{token}` };
}

type Page = { status: number; content: string };

function decisionOf({ url = "" }: IncomingMessage): Decision {
  const given = new URLSearchParams(url.split("?", 2)[1]).get("decision");
  if (given === "approve" || given === "reject") return given;
  throw new ServiceError("invalid_request", "`decision` is approve or reject.");
}

async function show(services: Services, token: string): Promise<Page> {
  const { review, isCurrent } = await findByLink(services, token);
  return { status: 200, content: reviewPage(review, { isCurrent, now: services.now() }) };
}

async function decide(services: Services, token: string, decision: Decision): Promise<Page> {
  await decideByLink(services, token, decision);
  return { status: 200, content: `<h1>Done</h1><p>${DECISIONS[decision]}</p>` };
}

// Serves the MTA-STS policy of hosted domains at https://mta-sts.<domain> (RFC 8461 §3.3). Caddy asks the same path, with the name
// in `domain`, before it gets a certificate for it.
const MTA_STS_PATH = "/.well-known/mta-sts.txt";

/** @throws ServiceError `not_found` for a domain that has no policy here, `method_not_allowed`, `rate_limited` */
async function handleMtaSts({ services, limits, client }: Outside, req: IncomingMessage, res: ServerResponse) {
  limits.takeAnonymous(client.network);
  if (req.method !== "GET" && req.method !== "HEAD") {
    const headers = { Allow: "GET, HEAD" };
    throw new ServiceError("method_not_allowed", `This path does not support ${req.method}.`, { headers });
  }
  const { settings, now } = services;
  const asked = new URLSearchParams(req.url?.split("?", 2)[1]).get("domain") ?? req.headers.host ?? "";
  const host = asked.toLowerCase().replace(/:\d+$/, "");
  const isOurs = host.startsWith(POLICY_HOST) && settings.SMTP_TLS_CERT !== undefined;
  const isServed =
    isOurs &&
    isVerifiable(await loadCertificate(settings, now()), settings, now()) &&
    (await isHosted(services.db, services, `postmaster@${host.slice(POLICY_HOST.length)}`));
  if (!isServed) throw new ServiceError("not_found", `There is no MTA-STS policy for ${host}.`);
  const text = policyText(settings);
  res.writeHead(200, { "Content-Type": "text/plain", "Content-Length": Buffer.byteLength(text) });
  res.end(req.method === "HEAD" ? undefined : text);
  return { door: "mta-sts", route: MTA_STS_PATH };
}

export type Outside = {
  services: Services;
  limits: { takeAnonymous(network: string): void; takeRegistration(network: string): void };
  holdFor(res: ServerResponse, holder: string): HoldBytes;
  client: Client;
};
type Passed = { door: string; route: string };

/** @returns undefined for every other path */
export function openOutside(outside: Outside, req: IncomingMessage, res: ServerResponse, path: string) {
  const { services, client } = outside;
  let passed: Promise<Passed> | undefined;
  const provider = providerAt(path, services);
  if (provider) passed = handleProviderEvents(outside, { provider, client }, req, res);
  else if (path === MTA_STS_PATH) passed = handleMtaSts(outside, req, res);
  else if (isOAuth(path)) passed = handleOAuth(outside, req, res, path);
  else if (isReview(path)) passed = handleReview({ ...outside, given: { client } }, req, res, path);
  else if (isNoticeAddress(path)) passed = handleNoticeAddress({ ...outside, given: { client } }, req, res, path);
  else if (isUnsubscribe(path)) passed = handleUnsubscribe({ ...outside, given: { client } }, req, res, path);
  return passed;
}
