// The gate that every email passes before it leaves: limits for each recipient, each organization and the whole service,
// in rolling windows. The database counts under a lock, so they are exact over all processes.
import { and, desc, eq, gt, inArray, lt, lte, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import type { EmailClass } from "#db/notice-topics.ts";
import { letterPasses, type notices } from "#db/schema/events.ts";
import { readMailbox } from "../base/addresses.ts";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { deleteOld } from "../base/retention.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** Clocks of processes may differ. A pass that is later was written with a wrong clock, and must not block emails. */
const CLOCK_SKEW_MS = HOUR_MS;
/** Within it, emails about the same topic to the same place are collected into one. */
const COLLECTING_MS = 2 * 60_000;
/** The longest window. */
const PASSES_KEPT_MS = WEEK_MS;
/** A number that no other advisory lock of the service has: "letr" in ASCII. */
const GATE_LOCK = 0x6c_65_74_72;

type Scope = "organization and recipient" | "recipient" | "organization" | "service";
type Limit = { of: EmailClass[]; within: Scope; max: number; windowMs: number };

/** An email must be within each limit of its class. A limit counts all classes that it names. */
const LIMITS: Limit[] = [
  // To strangers, because members asked for them.
  { of: ["confirmation"], within: "organization and recipient", max: 1, windowMs: DAY_MS },
  { of: ["invitation"], within: "organization and recipient", max: 3, windowMs: WEEK_MS },
  { of: ["invitation", "confirmation"], within: "recipient", max: 4, windowMs: DAY_MS },
  { of: ["invitation", "confirmation"], within: "recipient", max: 10, windowMs: WEEK_MS },
  { of: ["invitation", "confirmation"], within: "organization", max: 50, windowMs: DAY_MS },
  { of: ["invitation", "confirmation"], within: "service", max: 1_000, windowMs: HOUR_MS },
  // No limit of an organization: what its agents and members do must not keep a person out.
  { of: ["reset"], within: "recipient", max: 5, windowMs: HOUR_MS },
  { of: ["reset"], within: "service", max: 1_000, windowMs: HOUR_MS },
  // Not those of resets, which a stranger can request until their limit.
  { of: ["account"], within: "recipient", max: 10, windowMs: HOUR_MS },
  { of: ["account"], within: "service", max: 1_000, windowMs: HOUR_MS },
  // To members and confirmed addresses.
  { of: ["test"], within: "organization and recipient", max: 20, windowMs: HOUR_MS },
  { of: ["notice"], within: "organization and recipient", max: 20, windowMs: HOUR_MS },
  { of: ["notice"], within: "recipient", max: 60, windowMs: HOUR_MS },
  { of: ["notice"], within: "organization", max: 300, windowMs: HOUR_MS },
  { of: ["notice", "test"], within: "service", max: 5_000, windowMs: HOUR_MS },
  { of: ["chat"], within: "recipient", max: 60, windowMs: HOUR_MS },
  { of: ["chat"], within: "organization", max: 300, windowMs: HOUR_MS },
];

export type Passing = Pick<
  typeof notices.$inferSelect,
  "organization_id" | "to_address" | "route_id" | "channel" | "kind" | "topic"
>;
type Refusal = { limit: Limit; until: Date };

/** Only one transaction at a time decides. Take it before you read rows that the decision depends on. */
export async function lockGate(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${GATE_LOCK})`);
}

function classOf({ kind, channel, topic }: Passing): EmailClass {
  if (topic === "test") return "test";
  if (topic === "second_factor" || topic === "company_account") return "account";
  if (kind === "invitation" || kind === "confirmation" || kind === "reset") return kind;
  return channel === "chat" ? "chat" : "notice";
}

/** All addresses of one mailbox are one recipient. A test counts for the member, whichever route it tries. */
function recipientOf(email: Passing): string {
  const { route_id, to_address } = email;
  if (classOf(email) === "chat" && route_id !== null) return `chat:${route_id}`;
  return readMailbox(to_address) ?? to_address.toLowerCase();
}

function scopeOf(within: Scope, email: Passing): SQL | undefined {
  const ofOrganization = eq(letterPasses.organization_id, email.organization_id);
  const ofRecipient = eq(letterPasses.recipient, recipientOf(email));
  if (within === "organization") return ofOrganization;
  if (within === "recipient") return ofRecipient;
  return within === "service" ? undefined : and(ofOrganization, ofRecipient);
}

function isRecent(windowMs: number, now: Date): SQL | undefined {
  const { passed_at } = letterPasses;
  return and(
    gt(passed_at, new Date(now.getTime() - windowMs)),
    lte(passed_at, new Date(now.getTime() + CLOCK_SKEW_MS)),
  );
}

/** When the email would pass; undefined: now. */
async function refusalOf(tx: Transaction, email: Passing, now: Date): Promise<Refusal | undefined> {
  const { passed_at } = letterPasses;
  const own = LIMITS.filter(({ of }) => of.includes(classOf(email)));
  let latest: Refusal | undefined;
  for (const limit of own) {
    const isCounted = and(scopeOf(limit.within, email), inArray(letterPasses.class, limit.of));
    const [last] = await tx
      .select({ passed_at })
      .from(letterPasses)
      .where(and(isCounted, isRecent(limit.windowMs, now)))
      .orderBy(desc(passed_at))
      .offset(limit.max - 1)
      .limit(1);
    if (!last) continue;
    const until = new Date(last.passed_at.getTime() + limit.windowMs);
    if (!latest || until > latest.until) latest = { limit, until };
  }
  return latest;
}

/**
 * Takes the lock, and lets the email pass or not.
 * @returns when to try again; undefined if it passed
 */
export async function takePass(tx: Transaction, email: Passing, now: Date): Promise<Refusal | undefined> {
  await lockGate(tx);
  const refusal = await refusalOf(tx, email, now);
  if (refusal) return refusal;
  const { organization_id, topic } = email;
  const pass = { organization_id, recipient: recipientOf(email), class: classOf(email), topic };
  await tx.insert(letterPasses).values({ id: newId(), ...pass, passed_at: now });
  return undefined;
}

/**
 * Lets an email pass that a person asked for.
 * @throws ServiceError `rate_limited`
 */
export async function passOrRefuse(
  tx: Transaction,
  { now, metrics }: Pick<Services, "now" | "metrics">,
  email: Passing,
): Promise<void> {
  const at = now();
  const refusal = await takePass(tx, email, at);
  metrics.emails.inc({ outcome: refusal ? "refused" : "passed" });
  if (refusal) throw limitReached(refusal, at);
}

function limitReached({ limit: { within, max, windowMs }, until }: Refusal, now: Date): ServiceError {
  const hours = windowMs / HOUR_MS;
  const window = hours === 1 ? "hour" : `${hours} hours`;
  const messages: Record<Scope, string> = {
    "organization and recipient": `This address got ${max} such ${max === 1 ? "letter" : "letters"} from your organization in the last ${window}, which is the limit.`,
    recipient: "This address gets no more letters of this kind for now, because it got too many.",
    organization: `Your organization had ${max} such letters sent in the last ${window}, which is the limit.`,
    service: "This service sends no more letters of this kind for now.",
  };
  const seconds = Math.max(Math.ceil((until.getTime() - now.getTime()) / 1_000), 1);
  return new ServiceError("rate_limited", messages[within], { headers: { "Retry-After": String(seconds) } });
}

/** Until when emails about its topic to its place are collected; undefined: it may leave now. */
export async function collectedUntil(tx: Transaction, email: Passing, now: Date): Promise<Date | undefined> {
  if (email.topic === null) return undefined;
  const { passed_at, topic } = letterPasses;
  const isSame = and(scopeOf("organization and recipient", email), eq(topic, email.topic));
  const [last] = await tx
    .select({ passed_at })
    .from(letterPasses)
    .where(and(isSame, isRecent(COLLECTING_MS, now)))
    .orderBy(desc(passed_at))
    .limit(1);
  return last && new Date(last.passed_at.getTime() + COLLECTING_MS);
}

/** Deletes passes that no limit counts any more. */
export const prunePasses = deleteOld({
  table: letterPasses,
  key: letterPasses.id,
  isOver: ({ now }) => lt(letterPasses.passed_at, new Date(now().getTime() - PASSES_KEPT_MS)),
});
