// Chooses the address of a new mailbox: the requested one, if the key allows it, or a readable generated one.
import { randomInt } from "node:crypto";
import { adjectives, nouns } from "human-id";
import { readDomain } from "../base/addresses.ts";
import type { Agent, Ctx } from "../base/context.ts";
import type { Settings } from "../base/env.ts";
import { invalidField, ServiceError } from "../base/errors.ts";

const DIGITS_FROM = 1000;
const DIGITS_TO = 10_000;

// Mailbox names that RFC 2142 (and RFC 5321 §4.5.1) define, and names that look like the service itself.
const RESERVED = new Set(
  `abuse admin administrator ftp hostmaster info mailer-daemon marketing news noc no-reply noreply postmaster root sales
   security support usenet uucp webmaster www`.split(/\s+/),
);

/** On a domain of an organization, only the names whose mail the service handles (RFC 5321 §4.5.1, RFC 2142 §4). */
const RESERVED_ELSEWHERE = new Set(["postmaster", "abuse", "mailer-daemon"]);
/** In a text. */
const DOMAINS_NAMED_MAX = 10;

/**
 * The domain, and the address if a username was given.
 * @throws ServiceError `invalid_request`, `domain_not_allowed`
 */
export function addressFor(
  ctx: Ctx<Agent>,
  wish: { username?: string | undefined; domain?: string | undefined },
): { address: string | undefined; domain: string } {
  const { allowedDomains } = ctx.actor;
  const shared = ctx.settings.DEFAULT_DOMAIN;
  const domain = wish.domain === undefined ? shared : readDomain(wish.domain);
  if (!domain) throw invalidField("domain", "not a domain name");
  if (!allowedDomains.some((allowed) => allows(allowed, domain))) {
    throw new ServiceError("domain_not_allowed", `This key may not create mailboxes at ${domain}.`, {
      fix: fixFor(allowedDomains),
    });
  }
  if (wish.username === undefined) return { address: undefined, domain };
  if (isReserved(ctx.settings, wish.username, domain))
    throw invalidField("username", `${wish.username} is a reserved name (RFC 2142)`);
  return { address: `${wish.username}@${domain}`, domain };
}

/** Whether no mailbox of the domain may have this name. */
export function isReserved(
  { DEFAULT_DOMAIN }: Pick<Settings, "DEFAULT_DOMAIN">,
  name: string,
  domain: string,
): boolean {
  return (domain === DEFAULT_DOMAIN ? RESERVED : RESERVED_ELSEWHERE).has(name);
}

/** Two readable words and digits: `quiet-otter-4821@…`. */
export function generatedAddress(domain: string): string {
  const word = (words: string[]) => words[randomInt(words.length)]?.toLowerCase();
  return `${word(adjectives)}-${word(nouns)}-${randomInt(DIGITS_FROM, DIGITS_TO)}@${domain}`;
}

function fixFor(allowed: readonly string[]): string {
  if (allowed.length === 0)
    return "This key has no usable domain. Ask an admin of your organization to issue another key.";
  const more = allowed.length > DOMAINS_NAMED_MAX ? " and others (GET /v1/auth/me)" : "";
  return `Set \`domain\` to one that this key allows: ${allowed.slice(0, DOMAINS_NAMED_MAX).join(", ")}${more}.`;
}

function allows(allowed: string, domain: string): boolean {
  return allowed.startsWith("*.") ? domain.endsWith(allowed.slice(1)) : allowed === domain;
}
