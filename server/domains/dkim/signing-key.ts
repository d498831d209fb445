// Loads the DKIM key that signs mail of a domain.
import { createPrivateKey } from "node:crypto";
import { and, desc, eq, or, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { anyOf } from "#db/conditions.ts";
import { dkimKeys, domains } from "#db/schema/domains.ts";
import type { Services } from "../../base/context.ts";
import type { DkimKey } from "../../base/ports/outbound.ts";
import { closestGrant, isGrantedByOperator, namesFrom } from "../../grants/granted-domains.ts";
import { newDkimKey } from "./make-key.ts";
import { isPublished, keysOf } from "./published-keys.ts";

const KEYS_MAX = 1_000;
/** A replaced key stays published for days, so signing with it for a moment longer does no harm. */
const KEY_TTL_MS = 5_000;

type Needs = Pick<Services, "db" | "secrets" | "settings" | "now" | "dkimKeyMaker">;

/**
 * @returns a function that finds the key of a From domain: of the verified domain that is it, or closest above it; also of one that
 * the operator granted, once DNS has the record of the key
 */
export function createSigningKeys(services: Needs): (domain: string) => Promise<DkimKey | undefined> {
  // Mails that leave together wait for one lookup.
  const known = new LRUCache<string, Promise<DkimKey | undefined>>({ max: KEYS_MAX, ttl: KEY_TTL_MS });
  return (domain) => {
    const cached = known.get(domain);
    if (cached) return cached;
    const loading = loadKey(services, domain);
    known.set(domain, loading);
    loading.catch(() => known.delete(domain));
    return loading;
  };
}

async function loadKey(services: Needs, domain: string): Promise<DkimKey | undefined> {
  const isDefault = domain === services.settings.DEFAULT_DOMAIN;
  const row = isDefault ? await defaultKey(services) : await organizationKey(services, domain);
  return (
    row && {
      domainName: row.domain,
      keySelector: row.selector,
      privateKey: createPrivateKey(services.secrets.open(row.private_key, row.id)),
    }
  );
}

type Row = typeof dkimKeys.$inferSelect;

/**
 * Mail of a domain that is granted alone leaves without the record too, and then unsigned: never with the key of another organization,
 * which may hold a domain above it.
 */
async function organizationKey({ db, now }: Needs, domain: string): Promise<Row | undefined> {
  const holder = await closestGrant(db, now(), domain);
  const ofHolder = holder && eq(domains.organization_id, holder.organization_id);
  const isHeld = and(ofHolder, or(eq(domains.status, "verified"), isGrantedByOperator));
  const found = await db
    .select({ key: dkimKeys, status: domains.status, records: domains.records })
    .from(dkimKeys)
    .innerJoin(domains, eq(domains.id, dkimKeys.domain_id))
    .where(and(anyOf(domains.domain, namesFrom(domain)), isHeld, eq(dkimKeys.state, "signing")))
    .orderBy(desc(sql`length(${domains.domain})`), desc(sql`${domains.status} = 'verified'`));
  return found.find(({ key, status, records }) => status === "verified" || isPublished(key, records))?.key;
}

/** The key of DEFAULT_DOMAIN, which is made the first time. */
export async function defaultKey(services: Needs): Promise<Row> {
  const { db, settings } = services;
  const owner = { id: null, domain: settings.DEFAULT_DOMAIN };
  const find = () =>
    db
      .select()
      .from(dkimKeys)
      .where(and(keysOf(owner), eq(dkimKeys.state, "signing")));
  const [before] = await find();
  if (before) return before;
  const names = { domainId: null, domain: settings.DEFAULT_DOMAIN, organizationId: null };
  const key = { ...names, selector: "mb1" as const, state: "signing" as const };
  // Another process may make one at the same time.
  await db
    .insert(dkimKeys)
    .values(await newDkimKey(services, key))
    .onConflictDoNothing();
  const [made] = await find();
  if (!made) throw new Error("unreachable: the key of DEFAULT_DOMAIN was just inserted");
  return made;
}
