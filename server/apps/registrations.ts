// Limits the clients that register themselves: any program on the internet may.
import { and, count, lt, sql } from "drizzle-orm";
import { appConnections, oauthAccessTokens, oauthClients, oauthRefreshTokens } from "#db/schema/oauth.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";

/** Clients that no person has connected. */
const UNUSED_MAX = 5_000;
/** A person approves within minutes of the registration, or not at all. */
const UNUSED_MS = 86_400_000;
const ROWS_PER_STEP = 1_000;
const RETRY_SECONDS = "3600";

const isUnused = sql`not exists (select from ${appConnections} where ${appConnections.client_id} = ${oauthClients.clientId})`;

/** @throws ServiceError `rate_limited` when too many clients wait for a person */
export async function requireFreeRegistration({ db }: Services): Promise<void> {
  const [row] = await db.select({ unused: count() }).from(oauthClients).where(isUnused);
  if ((row?.unused ?? 0) < UNUSED_MAX) return;
  throw new ServiceError("rate_limited", "Too many apps have registered and were not connected.", {
    headers: { "Retry-After": RETRY_SECONDS },
  });
}

/** Worker job: deletes clients that were never used, and tokens that have expired. Returns how many rows it deleted. */
export async function pruneApps({ db, now }: Ctx<System>): Promise<number> {
  const at = now();
  const old = db
    .select({ id: oauthClients.id })
    .from(oauthClients)
    .where(and(lt(oauthClients.createdAt, new Date(at.getTime() - UNUSED_MS)), isUnused))
    .limit(ROWS_PER_STEP);
  const clients = await db.delete(oauthClients).where(and(isUnused, sql`${oauthClients.id} = any(array${old})`));
  const over = db
    .select({ id: oauthAccessTokens.id })
    .from(oauthAccessTokens)
    .where(lt(oauthAccessTokens.expiresAt, at))
    .limit(ROWS_PER_STEP);
  const tokens = await db.delete(oauthAccessTokens).where(sql`${oauthAccessTokens.id} = any(array${over})`);
  const ended = db
    .select({ id: oauthRefreshTokens.id })
    .from(oauthRefreshTokens)
    .where(lt(oauthRefreshTokens.expiresAt, at))
    .limit(ROWS_PER_STEP);
  const refreshing = await db.delete(oauthRefreshTokens).where(sql`${oauthRefreshTokens.id} = any(array${ended})`);
  return clients.count + tokens.count + refreshing.count;
}
