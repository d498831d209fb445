// Authenticates the sender of a mail: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 9989) and ARC (RFC 8617), with
// mailauth in its strict mode. It only waits for DNS or for the next piece of a body, and both end at the mail's
// deadline.
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { DKIMResult, DKIMVerifyResult, DNSResolver } from "mailauth";
import { arc } from "mailauth/lib/arc/index.js";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { spf } from "mailauth/lib/spf/index.js";
import type { Authentication, AuthenticationResult as Result } from "#db/message-parts.ts";
import { type Dns, type DnsType, NO_RECORD } from "../../base/ports/dns.ts";
import { domainOf, fetchPolicy, judgeDmarc, type Vouchers } from "./dmarc.ts";
import { boundMail } from "./header-block.ts";
import { readFrom } from "./read-from.ts";
import { type InboundMail, UNREADABLE, type Verdict } from "./verdict.ts";

// The DNS queries of one mail: deduplicated, counted, and ended at the mail's deadline.
/**
 * More than all limits of mailauth together: SPF 111, DKIM and ARC 61 keys, DMARC 11 walks of at most 8 names, twice.
 */
const QUESTIONS = 400;
/** Of the sender's local part (RFC 7208 §7.2): what they make is asked for one address alone. */
const SENDER_MACRO = /%\{[sl]/i;
/** With the time that answers are cached (server/adapters/dns-resolver.ts), a verdict is at most two minutes old. */
const KEEP_MS = 60_000;
/** While DNS does not answer, it would be asked again for each mail. */
const KEEP_UNKNOWN_MS = 1_000;

type BoundedDns = {
  /** The function that mailauth calls. After the mail's deadline, unknown names give `ETIMEOUT`. */
  resolver: DNSResolver;
  /** Names, in lower case, whose query failed temporarily. */
  unknown: Set<string>;
  /** As in `Verdict`. */
  keepMs(): number;
};

function timeout(name: string): Error {
  return Object.assign(new Error(`no time left to query ${name}`), { code: "ETIMEOUT" });
}

/** `ended` aborts at the mail's deadline. */
export function boundDns(dns: Dns, ended: AbortSignal): BoundedDns {
  const unknown = new Set<string>();
  const answers = new Map<string, Promise<unknown>>();
  let isOfSender = false;

  function ask(name: string, type: string): Promise<unknown> {
    if (ended.aborted || answers.size >= QUESTIONS) return Promise.reject(timeout(name));
    return new Promise((resolve, reject) => {
      const onEnd = () => reject(timeout(name));
      ended.addEventListener("abort", onEnd, { once: true });
      dns
        .resolve(name, type as DnsType)
        .then(resolve, reject)
        .finally(() => ended.removeEventListener("abort", onEnd));
    });
  }

  return {
    unknown,
    keepMs() {
      if (isOfSender) return 0;
      return unknown.size > 0 ? KEEP_UNKNOWN_MS : KEEP_MS;
    },
    async resolver(name, type) {
      const key = `${type} ${name.toLowerCase()}`;
      const answer = answers.get(key) ?? ask(name, type);
      if (answers.size < QUESTIONS) answers.set(key, answer);
      try {
        const records = (await answer) as string[][];
        if (type === "TXT") isOfSender ||= records.some((parts) => SENDER_MACRO.test(parts.join("")));
        return records;
      } catch (error) {
        if (!NO_RECORD.has((error as { code?: string }).code ?? "")) unknown.add(name.toLowerCase());
        throw error;
      }
    },
  };
}

const TIMEOUT_MS = 3_000;
const CHUNK_BYTES = 65_536;
/** Terms that query DNS, and those of them that may find nothing (RFC 7208 §4.6.4). */
const SPF_LOOKUPS = 10;
const SPF_VOID_LOOKUPS = 2;

const BEST_FIRST: Result[] = ["pass", "temperror", "fail", "permerror", "neutral"];

type Checked = { result: Result } & Vouchers;

const vouchers = (result: Result, domain: string): Checked => ({
  result,
  passed: result === "pass" ? [domain] : [],
  unknown: result === "temperror" ? [domain] : [],
});

async function checkSpf(mail: InboundMail, { resolver }: BoundedDns, hostname: string): Promise<Checked> {
  const { remoteIp, helo, envelopeFrom } = mail;
  if (remoteIp === null || !(envelopeFrom || helo)) return vouchers("none", "");
  const { status, domain } = await spf({
    ip: remoteIp,
    sender: envelopeFrom,
    helo: helo ?? `[${remoteIp}]`,
    mta: hostname,
    maxResolveCount: SPF_LOOKUPS,
    maxVoidCount: SPF_VOID_LOOKUPS,
    resolver,
    strict: true,
  });
  return vouchers(status.result as Result, domain);
}

/** `policy`: valid, but the key is too weak or the algorithm obsolete (RFC 8301). */
function signatureResult({ status }: DKIMResult): Result {
  if (status.result === "policy") return "permerror";
  // l= leaves the end of the body unsigned (RFC 6376 §8.2), but everything that an agent reads must be signed.
  return status.result === "pass" && status.underSized ? "neutral" : (status.result as Result);
}

function checkDkim({ results }: DKIMVerifyResult): Checked {
  const judged = results.map((each) => ({ result: signatureResult(each), domain: each.signingDomain ?? "" }));
  const domains = (result: Result) => judged.filter((each) => each.result === result).map(({ domain }) => domain);
  const best = BEST_FIRST.find((result) => judged.some((each) => each.result === result)) ?? "none";
  return { result: best, passed: domains("pass"), unknown: domains("temperror") };
}

/** mailauth reports every broken chain as a failure, even if only a key could not be queried. */
async function checkArc(verified: DKIMVerifyResult, { resolver, unknown }: BoundedDns): Promise<Result> {
  const chain = verified.arc;
  if (!chain) return "none";
  const { status } = await arc(chain as Parameters<typeof arc>[0], { resolver, strict: true });
  if (status.result !== "fail") return status.result as Result;
  const signers = (chain.chain || []).flatMap((set) => [set["arc-seal"], set["arc-message-signature"]]);
  const keys = signers.map((header) =>
    `${header?.parsed?.s?.value}._domainkey.${header?.parsed?.d?.value}`.toLowerCase(),
  );
  return keys.some((key) => unknown.has(key)) ? "temperror" : "fail";
}

/** In pieces, so that one long body does not delay the other mails. */
async function* pieces(raw: Buffer, ended: AbortSignal): AsyncGenerator<Buffer> {
  for (let at = 0; at < raw.length; at += CHUNK_BYTES) {
    ended.throwIfAborted();
    yield raw.subarray(at, at + CHUNK_BYTES);
    await setImmediate();
  }
}

/** DMARC is evaluated on our `from`, and only if all mail programs would find this one author. */
function hasOneAuthor({ headers, headerFrom, fromFields }: DKIMVerifyResult, found: number, from: string): boolean {
  const lines = (headers?.parsed ?? []).map(({ casedKey, line }): [string, string] => {
    const text = line.toString();
    return [casedKey ?? "", text.slice(text.indexOf(":") + 1).replace(/\r?\n/g, "")];
  });
  const only = [found, fromFields, headerFrom.length].every((count) => count === 1);
  return only && readFrom(lines).isOne && domainOf(headerFrom[0] ?? "") === domainOf(from);
}

async function check(
  mail: InboundMail,
  bounded: { raw: Buffer; fromFields: number },
  dns: BoundedDns,
  { hostname, ended }: { hostname: string; ended: AbortSignal },
): Promise<Authentication> {
  const body = Readable.from(pieces(bounded.raw, ended), { objectMode: false });
  const verifying = dkimVerify(body, { resolver: dns.resolver, sender: mail.envelopeFrom, strict: true });
  const [sent, verified] = await Promise.all([
    checkSpf(mail, dns, hostname).catch(() => vouchers("permerror", "")),
    verifying.catch(() => undefined),
    fetchPolicy(mail.from, dns.resolver).catch(() => undefined),
  ]);
  if (!verified) {
    const result = ended.aborted ? "temperror" : "permerror";
    return { spf: sent.result, dkim: result, dmarc: result, arc: result, aligned_from: false };
  }
  const signed = checkDkim(verified);
  const results = { spf: sent.result, dkim: signed.result, arc: await checkArc(verified, dns) };
  if (!hasOneAuthor(verified, bounded.fromFields, mail.from)) {
    return { ...results, dmarc: "permerror", aligned_from: false };
  }
  const { dmarc, aligned } = await judgeDmarc(mail.from, sent, signed, dns.resolver);
  return { ...results, dmarc, aligned_from: aligned };
}

/**
 * Never rejects because of a mail: what cannot be checked is `permerror`, what was not finished in 3 s is `temperror`.
 * A mail with no From mailbox, or with several, is `permerror` for DMARC and never aligned. `hostname` is this server's
 * name.
 */
export async function authenticate(mail: InboundMail, dns: Dns, { hostname }: { hostname: string }): Promise<Verdict> {
  const bounded = boundMail(mail.raw);
  if (!bounded) return { authentication: UNREADABLE, keepMs: 0 };
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), TIMEOUT_MS);
  const asking = boundDns(dns, end.signal);
  try {
    const authentication = await check(mail, bounded, asking, { hostname, ended: end.signal });
    return { authentication, keepMs: asking.keepMs() };
  } catch {
    return { authentication: UNREADABLE, keepMs: 0 };
  } finally {
    clearTimeout(timer);
  }
}
