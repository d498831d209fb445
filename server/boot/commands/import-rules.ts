// What an import refuses of a row, as the service itself refuses it: an export is a stranger's input.
import { createPrivateKey, createPublicKey } from "node:crypto";
import type { ImportRules, Row } from "#db/transfer/rules.ts";
import { readAddress, readMailbox } from "../../base/addresses.ts";
import { portsIn, type Settings } from "../../base/env.ts";
import { encodeId } from "../../base/ids.ts";
import { SIGNING_SECRET_PREFIX } from "../../base/secrets.ts";
import { readClaim } from "../../domains/name.ts";
import { readAllowedDomain } from "../../grants/allowed-domains.ts";
import { CLAIM_LOCK } from "../../grants/domain-grants.ts";
import { grantFault } from "../../grants/granted-domains.ts";
import { ADDRESS_LOCK } from "../../grants/hosted.ts";
import { isReserved } from "../../inboxes/address.ts";
import { MAILBOXES_MAX } from "../../keys/issue-enrollment-key.ts";
import { readName } from "../../organizations/organizations.ts";
import { capReached, countIn, type Registered } from "../../webhooks/caps.ts";
import { createOwnPorts, type OwnPorts } from "../../webhooks/targets/own-ports.ts";
import { checkTarget, isReceiverHost } from "../../webhooks/targets/target.ts";
import type { Place } from "./session.ts";

const DKIM_BITS = 2048;
/** How long a test receiver lives. */
const RECEIVER_MS = 3_600_000;
const SIGNING_SECRET = new RegExp(`^${SIGNING_SECRET_PREFIX}[A-Za-z0-9+/]{16,128}={0,2}$`);
const NO_ONE = "org";

type Rules = { now: Date; settings: Settings; ownPorts: OwnPorts; registered: Registered };
type Rule = (row: Row, rules: Rules, secrets: Record<string, string>) => string | undefined;

export function importRules({ settings, url, directUrl }: Place): ImportRules {
  const ownPorts = createOwnPorts(portsIn(settings), {
    publicUrl: settings.PUBLIC_URL,
    databaseUrls: [url, directUrl],
  });
  const rules: Omit<Rules, "now"> = { settings, ownPorts, registered: new Map([[NO_ONE, []]]) };
  return {
    fault: (table, row, secrets, now) => RULES[table]?.(row, { ...rules, now }, secrets),
    domainFault: (domain) => grantFault(settings, domain),
    locks: { grants: CLAIM_LOCK, addresses: ADDRESS_LOCK },
  };
}

const RULES: Record<string, Rule> = {
  organizations({ name, owner_emails }) {
    const wrong = texts(owner_emails).find((address) => readAddress(address)?.address !== address);
    return wrong === undefined ? refusalOf(() => readName(String(name))) : "an address of its owners is none";
  },
  enrollment_keys({ allowed_domains, max_mailboxes }) {
    if (Number(max_mailboxes) > MAILBOXES_MAX) return `its quota is larger than ${MAILBOXES_MAX}`;
    const wrong = texts(allowed_domains).find((domain) => readAllowedDomain(domain) !== domain);
    return wrong === undefined ? undefined : "an allowed domain is none";
  },
  domain_grants: ({ domain }, { settings }) => refusalOf(() => readClaim(settings, String(domain)), String(domain)),
  domains: ({ domain }, { settings }) => refusalOf(() => readClaim(settings, String(domain)), String(domain)),
  dkim_keys: ({ public_key }, _rules, { private_key = "" }) =>
    isKeyPair(String(public_key), private_key) ? undefined : `its keys are no RSA pair of ${DKIM_BITS} bits`,
  inboxes: mailboxFault,
  webhooks: webhookFault,
};

function texts(list: Row[string] | undefined): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

/** What a reader of the service says of a value; also if it reads another one than `expected`. */
function refusalOf(read: () => string, expected?: string): string | undefined {
  try {
    const value = read();
    return expected === undefined || value === expected ? undefined : "its domain is not in lower-case ASCII";
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
  }
}

function mailboxFault({ id, address, domain, status }: Row, { settings }: Rules): string | undefined {
  // A deleted mailbox whose address is in use again.
  if (status === "deleted" && address === `superseded ${id}`) return undefined;
  const read = readAddress(String(address));
  if (!read || readMailbox(read.address) !== address || read.domain !== domain)
    return "its address is none of a mailbox";
  return isReserved(settings, read.local, read.domain)
    ? `the name ${read.local} is reserved at ${read.domain}`
    : undefined;
}

function webhookFault(row: Row, { now, settings, ownPorts, registered }: Rules, secrets: Record<string, string>) {
  const [id, url] = [String(row.id), String(row.url)];
  const refused = refusalOf(() => checkTarget({ id, url }, { settings, ownPorts }));
  if (refused) return refused;
  const isReceiver = isReceiverHost(new URL(url).hostname);
  const endsAt = row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(String(row.expires_at));
  if (isReceiver !== (row.expires_at !== null) || (isReceiver && endsAt > now.getTime() + RECEIVER_MS)) {
    return "only a test receiver ends, within an hour";
  }
  if (Object.values(secrets).some((secret) => !SIGNING_SECRET.test(secret))) return "its signing secret is none";
  const target = { id, url, inboxId: row.inbox_id === null ? null : String(row.inbox_id) };
  const reached = capReached(settings, registered, NO_ONE, target);
  if (reached) return `${encodeId("whk", id)} is too many: ${reached.message.replace(/\.$/, "")}`;
  countIn(registered, NO_ONE, target);
  return undefined;
}

function isKeyPair(publicKey: string, privateKey: string): boolean {
  try {
    const key = createPrivateKey(privateKey);
    const own = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
    return (
      key.asymmetricKeyType === "rsa" && key.asymmetricKeyDetails?.modulusLength === DKIM_BITS && own === publicKey
    );
  } catch {
    return false; // node:crypto throws for a text that is no key
  }
}
