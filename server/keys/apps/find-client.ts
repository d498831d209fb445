// Finds a client that asks a member for access.
import { eq } from "drizzle-orm";
import { oauthClients } from "#db/schema/oauth.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { notRegistered } from "./registrations.ts";
import { scopesOfRole } from "./scopes.ts";

const NAME_CHARS = 100;
const CONTROL = /\p{C}+/gu;

/** What people see as its name, which the client chose itself. */
export function clientName(client: { name: string | null; clientId: string }): string {
  const name = client.name?.replace(CONTROL, " ").trim().slice(0, NAME_CHARS).toWellFormed();
  return name || `App ${client.clientId.slice(0, 8)}`;
}

/** @throws ServiceError `not_found` */
export async function findClient({ db, actor }: Ctx<Member>, clientId: string) {
  const [client] = await db
    .select({ name: oauthClients.name, clientId: oauthClients.clientId })
    .from(oauthClients)
    .where(eq(oauthClients.clientId, clientId));
  if (!client) throw notRegistered();
  return { name: clientName(client), scopes: scopesOfRole(actor.role) };
}
