// Which scopes an app may have: those of tools that the member's role allows.
import type { Role, Scope } from "../../base/context.ts";
import { APP_SCOPES } from "../../organizations/oauth.ts";

/** Members may not delete mailboxes; admins and owners may. */
const ADMINS_ONLY: readonly Scope[] = ["mailbox:delete"];

export function scopesOfRole(role: Role): (typeof APP_SCOPES)[number][] {
  return APP_SCOPES.filter((scope) => role !== "member" || !ADMINS_ONLY.includes(scope));
}
