// Loads the DKIM key that signs mail of a domain.
import { createPrivateKey } from "node:crypto";
import { and, desc, eq, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { anyOf } from "#db/conditions.ts";
import { dkimKeys, domains } from "#db/schema/domains.ts";
import type { Services } from "../../base/context.ts";
import type { DkimKey } from "../../ports/outbound.ts";
import { newDkimKey } from "./make-key.ts";
import { keysOf } from "./published-keys.ts";

const KEYS_MAX = 1_000;
/** A replaced key stays published for days, so signing with it for a moment longer does no harm. */
const KEY_TTL_MS = 5_000;

type Needs = Pick<Services, "db" | "secrets" | "settings" | "now" | "dkimKeyMaker">;

/** @returns a function that finds the key of a From domain: of the verified domain that is it, or closest above it */
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
  const row = isDefault ? await defaultKey(services) : await verifiedKey(services, domain);
  return (
    row && {
      domainName: row.domain,
      keySelector: row.selector,
      privateKey: createPrivateKey(services.secrets.open(row.private_key, row.id)),
    }
  );
}

type Row = typeof dkimKeys.$inferSelect;

/** Only one organization can have a verified domain at or above a name. */
async function verifiedKey({ db }: Needs, domain: string): Promise<Row | undefined> {
  const labels = domain.split(".");
  const names = labels.map((_, i) => labels.slice(i).join("."));
  const [found] = await db
    .select({ key: dkimKeys })
    .from(dkimKeys)
    .innerJoin(domains, eq(domains.id, dkimKeys.domain_id))
    .where(and(anyOf(domains.domain, names), eq(domains.status, "verified"), eq(dkimKeys.state, "signing")))
    .orderBy(desc(sql`length(${domains.domain})`))
    .limit(1);
  return found?.key;
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
  const key = { domainId: null, domain: settings.DEFAULT_DOMAIN, selector: "mb1" as const, state: "signing" as const };
  // Another process may make one at the same time.
  await db
    .insert(dkimKeys)
    .values(await newDkimKey(services, key))
    .onConflictDoNothing();
  const [made] = await find();
  if (!made) throw new Error("unreachable: the key of DEFAULT_DOMAIN was just inserted");
  return made;
}
