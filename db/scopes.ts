// The scopes of agent keys.

export const SCOPES = [
  "mailbox:create",
  "mailbox:read",
  "mailbox:send",
  "mailbox:delete",
  "webhook:write",
  "payment:write",
  "domain:manage",
  "list:manage",
  "key:issue",
] as const;

export type Scope = (typeof SCOPES)[number];
