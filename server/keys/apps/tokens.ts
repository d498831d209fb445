// Answers the token endpoint: the provider issues the tokens, and this file refuses those of ended connections and repeated
// refresh tokens (RFC 9700 §4.14).
import { setTimeout as delay } from "node:timers/promises";
import { and, eq, gt, isNotNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { appConnections, oauthAccessTokens, oauthRefreshTokens } from "#db/schema/oauth.ts";
import type { Services } from "../../base/context.ts";
import { APP_TOKEN_PREFIX, REFRESH_TOKEN_PREFIX, storedAppToken } from "../../organizations/oauth.ts";
import { endConnections } from "./end.ts";
import { isConnected, prepareFindAppKey } from "./find-app-key.ts";

/** How long a repeated refresh token waits for the answer to the first request, which may run in another process. */
const ANSWER_WAIT_MS = 2_000;
const ANSWER_POLL_MS = 50;

type CallProvider = () => Promise<Response>;

/** @param callProvider gets the answer of the provider to the request */
export async function answerToken(
  services: Services,
  fields: URLSearchParams,
  callProvider: CallProvider,
): Promise<Response> {
  const answer = await (fields.get("grant_type") === "refresh_token"
    ? refresh(services, fields.get("refresh_token") ?? "", callProvider)
    : callProvider());
  if (!answer.ok) return answer;
  const { access_token } = (await answer.clone().json()) as { access_token: string };
  return (await isUsable(services, access_token)) ? answer : refused("The connection of this app has ended.");
}

/** As /mcp decides. The connection may have ended while the provider issued the token. */
async function isUsable(services: Services, accessToken: string): Promise<boolean> {
  const token = storedAppToken(accessToken, APP_TOKEN_PREFIX);
  const [row] = await prepareFindAppKey(services.db).execute({ token, at: services.now() });
  if (row && isConnected(row)) return true;
  const [issued] = await services.db
    .select({ connection: oauthAccessTokens.referenceId })
    .from(oauthAccessTokens)
    .where(eq(oauthAccessTokens.token, token));
  if (issued?.connection) await endConnection(services, issued.connection);
  return false;
}

/**
 * The provider repeats its answer to a refresh token that was exchanged shortly before, because the first answer may be lost.
 * After that time, or when the newer token was used, the token was copied: the connection ends.
 */
async function refresh(services: Services, refreshToken: string, callProvider: CallProvider): Promise<Response> {
  const token = storedAppToken(refreshToken, REFRESH_TOKEN_PREFIX);
  const before = await findRefresh(services, token);
  if (before?.isCopied) return endCopied(services, before.connection);
  const answer = await callProvider();
  const after = await findRefresh(services, token);
  if (after?.isCopied) return endCopied(services, after.connection);
  if (answer.ok || !after?.isRotated) return answer;
  await waitForAnswer(services, token);
  return callProvider();
}

async function findRefresh({ db, now }: Services, token: string) {
  const newer = alias(oauthRefreshTokens, "newer");
  const { referenceId, revoked, rotatedAt, rotationReplayExpiresAt, rotationReplayResponse } = oauthRefreshTokens;
  const usedNewer = db
    .select({ id: newer.id })
    .from(newer)
    .where(and(eq(newer.referenceId, referenceId), gt(newer.id, oauthRefreshTokens.id), isNotNull(newer.revoked)));
  const [row] = await db
    .select({
      connection: referenceId,
      revoked,
      repeatableUntil: rotationReplayExpiresAt,
      isRotated: sql<boolean>`${rotatedAt} is not null`,
      isAnswered: sql<boolean>`${rotationReplayResponse} is not null`,
      isNewerUsed: sql<boolean>`exists ${usedNewer}`,
    })
    .from(oauthRefreshTokens)
    .where(eq(oauthRefreshTokens.token, token));
  if (!row) return undefined;
  const isRepeatable = row.repeatableUntil !== null && row.repeatableUntil >= now() && !row.isNewerUsed;
  return { ...row, isCopied: row.revoked !== null && !isRepeatable };
}

/** Waits until the answer to the first request with the token is stored; not for longer than ANSWER_WAIT_MS, then the provider decides. */
async function waitForAnswer(services: Services, token: string): Promise<void> {
  for (let waited = 0; waited < ANSWER_WAIT_MS; waited += ANSWER_POLL_MS) {
    const row = await findRefresh(services, token);
    if (!row || row.isAnswered) return;
    await delay(ANSWER_POLL_MS);
  }
}

async function endCopied(services: Services, connection: string | null): Promise<Response> {
  if (connection) await endConnection(services, connection);
  return refused("The refresh token was used before, so the connection has ended. Connect the app again.");
}

async function endConnection({ db, now }: Services, connection: string): Promise<void> {
  await db.transaction((tx) => endConnections(tx, now(), eq(appConnections.id, connection)));
}

function refused(error_description: string): Response {
  return Response.json({ error: "invalid_grant", error_description }, { status: 400 });
}
