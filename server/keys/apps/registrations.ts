// Limits the clients that register themselves: any program on the internet may.
import { and, eq, getTableColumns, gt, isNull, lt, ne, notExists, or, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { appConnections, oauthAccessTokens, oauthClients, oauthRefreshTokens } from "#db/schema/oauth.ts";
import { type Client, prefixOf } from "../../base/client-address.ts";
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { deleteOld } from "../../base/retention.ts";

/** Clients that no member has approved. Above this, the oldest goes. */
const UNUSED_MAX = 5_000;
/** Of one network: the bits of its prefix, and how many. Above this, it may register no more. */
const UNUSED_PER_NETWORK_V4: readonly Share[] = [
  { bits: 32, max: 20 },
  { bits: 24, max: 100 },
];
const UNUSED_PER_NETWORK_V6: readonly Share[] = [
  { bits: 64, max: 20 },
  { bits: 56, max: 50 },
  { bits: 48, max: 100 },
];
/** A person approves within minutes of the registration, or of the page that asks for it, or not at all. */
const UNUSED_MS = 3_600_000;
/** Clients that wait for a person go last, so that a flood does not end a request that a person reads. Of one person or network. */
const WAITING_MAX = 10;
const WAITING_BITS_V4 = 24;
const WAITING_BITS_V6 = 48;
const RETRY_SECONDS = "3600";

type Share = { bits: number; max: number };

const { approved_at, networks, asked_at, asked_from, createdAt, clientId } = getTableColumns(oauthClients);

/** The time is that of the row, which an approval changes: a delete that waits for the approval sees it. */
function isUnused(db: Services["db"] | Transaction): SQL | undefined {
  const used = db.select({ id: appConnections.id }).from(appConnections).where(eq(appConnections.client_id, clientId));
  // Versions before `approved_at` approve without setting it.
  return and(isNull(approved_at), notExists(used));
}

/** Until the transaction ends, no other process counts clients. */
async function lockClients(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('app-registrations', 0))`);
}

/**
 * @param ask the provider, which registers the client
 * @throws ServiceError `rate_limited` when the network of the caller has too many clients that no member approved
 */
export async function registerClient(services: Services, client: Client, ask: () => Promise<Response>) {
  const answer = await ask();
  if (!answer.ok) return answer;
  const { client_id } = (await answer.clone().json()) as { client_id: string };
  const isAdmitted = await services.db.transaction((tx) => admit(tx, services, client_id, client));
  if (isAdmitted) return answer;
  throw new ServiceError("rate_limited", "Too many apps have registered from your network and were not connected.", {
    headers: { "Retry-After": RETRY_SECONDS },
  });
}

/** Counts after the registration, so that concurrent ones are counted too. */
async function admit(tx: Transaction, { now }: Services, id: string, { address, behindUndeclaredProxy }: Client) {
  await lockClients(tx);
  const isThis = eq(clientId, id);
  // Behind a proxy that is not in TRUST_PROXY, all clients would share one address.
  const shares = behindUndeclaredProxy ? [] : sharesOf(address);
  await tx
    .update(oauthClients)
    .set({ networks: shares.map(({ network }) => network) })
    .where(isThis);
  // The worker deletes older ones. The condition lets PostgreSQL read the index of unused clients alone.
  const unused = and(isUnused(tx), gt(createdAt, new Date(now().getTime() - 3 * UNUSED_MS)));
  for (const { network, max } of shares) {
    const of = await tx.$count(oauthClients, and(unused, sql`${network}::text = any(${networks})`));
    if (of <= max) continue;
    await tx.delete(oauthClients).where(isThis);
    return false;
  }
  const over = (await tx.$count(oauthClients, unused)) - UNUSED_MAX;
  if (over <= 0) return true;
  const oldest = tx
    .select({ id: oauthClients.id })
    .from(oauthClients)
    .where(and(unused, ne(clientId, id)))
    .orderBy(sql`${asked_at} is not null`, createdAt, oauthClients.id)
    .limit(over);
  await tx.delete(oauthClients).where(and(isUnused(tx), sql`${oauthClients.id} = any(array${oldest})`));
  return true;
}

function sharesOf(address: string): { network: string; max: number }[] {
  const shares = address.includes(":") ? UNUSED_PER_NETWORK_V6 : UNUSED_PER_NETWORK_V4;
  return shares.map(({ bits, max }) => ({ network: prefixOf(address, bits), max }));
}

/** Notes that a page asks a person to approve the client. `userId`: the person, if signed in. */
export async function noteAsked(
  { db, now }: Services,
  id: string,
  { address, userId }: { address: string; userId: string | undefined },
): Promise<void> {
  const from = userId ?? prefixOf(address, address.includes(":") ? WAITING_BITS_V6 : WAITING_BITS_V4);
  const at = now();
  // A person who opens the page again, signed in, takes the client out of the share of the network.
  const isOpen = and(
    eq(clientId, id),
    isNull(approved_at),
    userId ? ne(sql`coalesce(${asked_from}, '')`, from) : isNull(asked_at),
  );
  if ((await db.$count(oauthClients, isOpen)) === 0) return;
  await db.transaction(async (tx) => {
    await lockClients(tx);
    const recent = and(eq(asked_from, from), gt(asked_at, new Date(at.getTime() - UNUSED_MS)));
    const waiting = await tx.$count(oauthClients, and(isUnused(tx), recent));
    if (waiting < WAITING_MAX) await tx.update(oauthClients).set({ asked_at: at, asked_from: from }).where(isOpen);
  });
}

/** Marks a client as used, in the transaction that connects it. @throws ServiceError `not_found` if it was deleted */
export async function markApproved(tx: Transaction, at: Date, id: string): Promise<void> {
  const marked = await tx
    .update(oauthClients)
    .set({ approved_at: at, networks: null, asked_at: null, asked_from: null })
    .where(eq(clientId, id));
  if (marked.count === 0) throw notRegistered();
}

export function notRegistered(): ServiceError {
  return new ServiceError("not_found", "The app is not registered here.", {
    fix: "Start the connection again in the app.",
  });
}

/** Deletes clients that were never used. */
export const pruneClients = deleteOld({
  table: oauthClients,
  key: oauthClients.id,
  isOver({ db, now }) {
    const before = new Date(now().getTime() - UNUSED_MS);
    return and(lt(createdAt, before), or(isNull(asked_at), lt(asked_at, before)), isUnused(db));
  },
});

export const pruneAccessTokens = deleteOld({
  table: oauthAccessTokens,
  key: oauthAccessTokens.id,
  isOver: ({ now }) => lt(oauthAccessTokens.expiresAt, now()),
});

export const pruneRefreshTokens = deleteOld({
  table: oauthRefreshTokens,
  key: oauthRefreshTokens.id,
  isOver: ({ now }) => lt(oauthRefreshTokens.expiresAt, now()),
});
