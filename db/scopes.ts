// The scopes of agent keys.

export const SCOPES = [
  "mailbox:create",
  "mailbox:read",
  "mailbox:draft",
  "mailbox:send",
  "mailbox:delete",
  "mailbox:purge",
  "mailbox:import",
  "webhook:write",
  "payment:write",
  "domain:manage",
  "list:manage",
  "key:issue",
] as const;

/** What a new enrollment key has unless its scopes are chosen: work in mailboxes, and nothing that lifts limits, spends money or hands on access. */
export const DEFAULT_SCOPES = [
  "mailbox:create",
  "mailbox:read",
  "mailbox:send",
  "mailbox:delete",
  "webhook:write",
] as const satisfies readonly Scope[];

/** The mailboxes that agents reach: all of the organization, or those that the agent itself created. */
export const INBOX_ACCESS = ["organization", "own"] as const;
export type InboxAccess = (typeof INBOX_ACCESS)[number];

export type Scope = (typeof SCOPES)[number];

/** Whether scopes allow what needs `scope`. Who may send may write drafts. */
export function hasScope(scopes: readonly Scope[], scope: Scope): boolean {
  return scopes.includes(scope) || (scope === "mailbox:draft" && scopes.includes("mailbox:send"));
}
