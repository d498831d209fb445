// Answers the authorization endpoint: sends a browser to the page that asks a person, and to an app only when the person has
// approved that app before (RFC 9700 §4.11.2). Anyone can register an app, with any address to return to.
import { and, eq } from "drizzle-orm";
import { appConnections } from "#db/schema/oauth.ts";
import type { Services } from "../../base/context.ts";
import { CONSENT_PAGE } from "../../organizations/oauth.ts";
import { noteAsked } from "./registrations.ts";

type Asked = {
  query: URLSearchParams;
  address: string;
  cookie: string | undefined;
};

/** @param ask the provider */
export async function answerAuthorization(services: Services, asked: Asked, ask: () => Promise<Response>) {
  const answer = await ask();
  const location = answer.headers.get("location");
  if (location === null) return answer;
  const { origin } = new URL(services.settings.PUBLIC_URL);
  const to = new URL(location, origin);
  const [clientId = "", ...more] = asked.query.getAll("client_id");
  const userId = await findUser(services, asked.cookie);
  if (to.origin === origin && to.pathname === CONSENT_PAGE) {
    if (!to.searchParams.has("error")) await noteAsked(services, clientId, { address: asked.address, userId });
    return answer;
  }
  if (userId && more.length === 0 && (await hasApproved(services, userId, clientId))) return answer;
  const params = to.searchParams.has("error") ? to.searchParams : new URLSearchParams(to.hash.slice(1));
  const page = new URL(CONSENT_PAGE, origin);
  page.searchParams.set("error", params.get("error") ?? "invalid_request");
  page.searchParams.set("error_description", params.get("error_description") ?? "");
  return Response.redirect(page, 302);
}

async function findUser(services: Services, cookie: string | undefined): Promise<string | undefined> {
  if (cookie === undefined) return undefined;
  const auth = await services.signIn();
  const { response } = await auth.api.getSession({ headers: new Headers({ cookie }), returnHeaders: true });
  return response?.user.id;
}

/** Also an app whose connection has ended. */
async function hasApproved({ db }: Services, userId: string, clientId: string): Promise<boolean> {
  const own = and(eq(appConnections.user_id, userId), eq(appConnections.client_id, clientId));
  return (await db.$count(appConnections, own)) > 0;
}
