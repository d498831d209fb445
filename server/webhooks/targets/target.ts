// Checks the text of a webhook URL. The address it resolves to is checked when it is dialled (dial.ts).
import { isIP } from "node:net";
import { DOMAIN_CHARS, LABEL } from "../../base/addresses.ts";
import type { Settings } from "../../base/env.ts";
import { ServiceError } from "../../base/errors.ts";
import type { OwnPorts } from "./own-ports.ts";
import { type Permitted, permittedBy, portOf } from "./permitted.ts";

// The addresses of test receivers. A receiver is a webhook without an endpoint: the engine signs its deliveries, writes
// them to the log and answers them here, so that no request leaves the process.
const DOMAIN = "receiver.invalid";

/** No other webhook can have it: `.invalid` never resolves (RFC 6761), and the service refuses it as a URL. */
export function receiverUrl(webhookId: string): string {
  return `https://${webhookId}.${DOMAIN}/`;
}

/** @param host in lower case, without a trailing dot; or an origin without a port */
export function isReceiverHost(host: string): boolean {
  return host === DOMAIN || host.endsWith(`.${DOMAIN}`);
}

const URL_MAX_CHARS = 2048;
// URL parsers skip or rewrite these (tab, newline, backslash), so two parsers may see different hosts.
const CONFUSING = /[\p{Cc}\p{Z}\\]/u;
const SCHEME_AND_AUTHORITY = /^https?:\/\/([^/?#]+)/i;
/** Names in private networks often have underscores; public host names never do (RFC 952). */
const PRIVATE_LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
/** Special-use names that never resolve to a public host: RFC 6761, 6762, 7686, 8375, and `internal` (ICANN 2024). */
const PRIVATE_NAMES = ["localhost", "local", "internal", "home.arpa", "onion"];

/** What decides which URLs are taken. */
export type UrlRules = {
  settings: Pick<Settings, "WEBHOOK_TARGETS" | "WEBHOOK_ALLOWED_HOSTS" | "ALLOW_INSECURE_WEBHOOKS">;
  ownPorts: OwnPorts;
};

function isName(host: string, label: RegExp): boolean {
  return host.length <= DOMAIN_CHARS && host.split(".").every((part) => label.test(part));
}

function isPrivateName(host: string): boolean {
  return !host.includes(".") || PRIVATE_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}

/** A host name or address that is not in the operator's allow list, where only public ones are permitted. */
function problemWhenPublic(host: string, port: number, permitted: Permitted): string | undefined {
  if (!permitted.port(port)) return "its port belongs to a protocol other than HTTP";
  if (isIP(host) !== 0) return permitted.address(host, port) ? undefined : "its address is not on the public internet";
  if (!isName(host, LABEL)) return "its host is not a valid name";
  if (isPrivateName(host)) return "its host is not a name on the public internet";
}

/** Why this URL is refused; undefined if it may be dialled. */
export function problemOfUrl(text: string, { settings, ownPorts }: UrlRules): string | undefined {
  if (text.length > URL_MAX_CHARS) return `it is longer than ${URL_MAX_CHARS} characters`;
  if (CONFUSING.test(text)) return "it contains a space, a control character or a backslash";
  const authority = SCHEME_AND_AUTHORITY.exec(text)?.[1];
  const url = URL.parse(text);
  if (!url || !authority) return "it is not an http or https URL with a host";
  if (url.protocol === "http:" && !settings.ALLOW_INSECURE_WEBHOOKS) return "it must begin with https://";
  if (authority.includes("@")) return "it contains credentials";
  if (url.port === "0") return "its port is 0";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) === 0 && !isName(host, PRIVATE_LABEL)) return "its host is not a valid name";
  if (isReceiverHost(host.replace(/\.$/, ""))) return "its host is reserved for test receivers";
  const port = portOf(url.protocol, url.port);
  if (ownPorts.isNamed(host, port)) return "it leads to this service itself";
  if (settings.WEBHOOK_TARGETS === "any") return undefined;
  const permitted = permittedBy(settings.WEBHOOK_ALLOWED_HOSTS);
  return permitted.name(host, port) ? undefined : problemWhenPublic(host, port, permitted);
}

/**
 * Rejects a URL that cannot be a customer's endpoint. A fragment is allowed and never sent.
 * @returns the URL as given, which is stored and shown
 * @throws ServiceError `invalid_webhook_url`, its message saying why
 */
export function checkWebhookUrl(url: string, rules: UrlRules): string {
  const problem = problemOfUrl(url, rules);
  if (problem) throw new ServiceError("invalid_webhook_url", `This URL cannot be a webhook: ${problem}.`);
  return url;
}

/** Checks the URL that a webhook has: as `checkWebhookUrl`, except that a test receiver has its own URL. */
export function checkTarget(webhook: { id: string; url: string }, rules: UrlRules): string {
  return webhook.url === receiverUrl(webhook.id) ? webhook.url : checkWebhookUrl(webhook.url, rules);
}
