// Answers the request of an app: approves it for one organization, or refuses it. The answer is where the browser goes next.
import { createHash } from "node:crypto";
import { and, eq, ne, type SQL } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { appConnections } from "#db/schema/oauth.ts";
import { members } from "#db/schema/team.ts";
import type { Ctx, Member, Scope } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId, newId } from "../../base/ids.ts";
import { CONSENT_ENDPOINT, forConnection, OFFLINE_SCOPE } from "../../organizations/oauth.ts";
import { AUTH_BASE } from "../../organizations/sign-in.ts";
import { ensureAgent } from "../ensure-agent.ts";
import { findEnrollmentKey } from "../find.ts";
import { issueAgentKey } from "../issue-agent-key.ts";
import { endConnections } from "./end.ts";
import { findClient } from "./find-client.ts";
import { markApproved } from "./registrations.ts";
import { scopesOfRole } from "./scopes.ts";

const HANDLE_CHARS = 16;

/** The session of the member who answers. */
type Session = { cookies: string | undefined };
type Request = { client_id: string; request: string };
type Approval = Request & { enrollment_key_id: string; scopes: Scope[] };

/**
 * Connects the app: it gets a code, and with it tokens that act with a new agent key. An earlier connection of the same
 * member and app in this organization ends.
 * @throws ServiceError `not_found`, `enrollment_key_not_found`, `insufficient_role`, `invalid_request`
 */
export async function approveApp(ctx: Ctx<Member>, input: Approval, session: Session): Promise<{ url: string }> {
  const { name } = await findClient(ctx, input.client_id);
  const scopes = await grantable(ctx, input);
  const id = await connect(ctx, input, { name, scopes });
  const scope = [...scopes, ...(asksOffline(input.request) ? [OFFLINE_SCOPE] : [])].join(" ");
  const end = (which: SQL | undefined) => ctx.db.transaction((tx) => endConnections(tx, ctx.now(), which));
  try {
    const answer = await forConnection(id, () => consent(ctx, session, input, { accept: true, scope }));
    await end(
      and(
        ne(appConnections.id, id),
        eq(appConnections.organization_id, ctx.actor.organizationId),
        eq(appConnections.client_id, input.client_id),
        eq(appConnections.user_id, ctx.actor.userId),
      ),
    );
    return answer;
  } catch (error) {
    await end(eq(appConnections.id, id));
    throw error;
  }
}

/** @throws ServiceError `invalid_request` */
export async function refuseApp(ctx: Ctx<Member>, input: Request, session: Session): Promise<{ url: string }> {
  return consent(ctx, session, input, { accept: false });
}

async function grantable(ctx: Ctx<Member>, { scopes, enrollment_key_id }: Approval): Promise<Scope[]> {
  const allowed = scopesOfRole(ctx.actor.role);
  const tooHigh = scopes.find((scope) => !allowed.some((each) => each === scope));
  if (tooHigh) throw new ServiceError("insufficient_role", `Your role may not give apps the scope ${tooHigh}.`);
  const { scopes: ofKey } = await findEnrollmentKey(ctx, enrollment_key_id);
  const missing = scopes.find((scope) => !ofKey.includes(scope));
  if (!missing) return [...new Set(scopes)];
  throw new ServiceError("invalid_request", `The enrollment key does not have the scope ${missing}.`, {
    issues: [{ path: "scopes", message: `without ${missing}, or with another enrollment key` }],
  });
}

/** One agent for each app, member and enrollment key. Its key's secret is dropped: only the app's tokens stand for it. */
async function connect(ctx: Ctx<Member>, input: Approval, app: { name: string; scopes: Scope[] }): Promise<string> {
  const { client_id, enrollment_key_id: enrollment_key } = input;
  const digest = createHash("sha256").update(`${client_id} ${ctx.actor.userId}`).digest("hex");
  const handle = `app-${digest.slice(0, HANDLE_CHARS)}`;
  const issued = await issueAgentKey(ctx, { enrollment_key, handle, scopes: app.scopes });
  await ensureAgent(ctx, await findEnrollmentKey(ctx, enrollment_key), { handle, name: app.name });
  const agent_key_id = decodeId("akey", issued.id);
  if (!agent_key_id) throw new Error("the issued agent key has no id");
  return ctx.db.transaction((tx) => insertConnection(tx, ctx, { client_id, agent_key_id }));
}

/**
 * Locks the membership, so that its removal, which ends connections, sees this one, or this one sees the removal.
 * @throws ServiceError `not_a_member`, `insufficient_role`, `not_found`
 */
async function insertConnection(
  tx: Transaction,
  { actor, now }: Ctx<Member>,
  app: { client_id: string; agent_key_id: string },
): Promise<string> {
  const { organizationId: organization_id, userId: user_id, email, role } = actor;
  const [member] = await tx
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.organizationId, organization_id), eq(members.userId, user_id)))
    .for("share");
  if (!member) throw new ServiceError("not_a_member", `${email} is not a member of this organization.`);
  if (member.role !== role) throw new ServiceError("insufficient_role", "Your role has just changed. Reload the page.");
  await markApproved(tx, now(), app.client_id);
  const id = newId();
  await tx.insert(appConnections).values({ id, organization_id, user_id, ...app, created_at: now() });
  return id;
}

function asksOffline(request: string): boolean {
  return (new URLSearchParams(request).get("scope") ?? OFFLINE_SCOPE).split(" ").includes(OFFLINE_SCOPE);
}

/** @throws ServiceError `invalid_request` for a request that was changed, is for another app, or has expired */
async function consent(
  ctx: Ctx<Member>,
  { cookies = "" }: Session,
  { client_id, request }: Request,
  decision: { accept: boolean; scope?: string },
): Promise<{ url: string }> {
  if (new URLSearchParams(request).get("client_id") !== client_id) throw invalid("It is for another app.");
  const auth = await ctx.signIn();
  const { origin } = new URL(ctx.settings.PUBLIC_URL);
  const answer = await auth.handler(
    new Request(`${origin}${AUTH_BASE}${CONSENT_ENDPOINT}`, {
      method: "POST",
      headers: { cookie: cookies, origin, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ ...decision, oauth_query: request }),
    }),
  );
  const body = (await answer.json()) as { url?: string; error?: string; error_description?: string };
  if (answer.ok && body.url) return { url: body.url };
  throw invalid(body.error_description ?? body.error ?? `Sign-in answered ${answer.status}.`);
}

function invalid(why: string): ServiceError {
  return new ServiceError("invalid_request", `The request of the app is not valid, or has expired: ${why}`, {
    fix: "Start the connection again in the app.",
  });
}
