// What an app may do, in words.
type Words = { label: string; description: string };

export const SCOPES = {
  "mailbox:read": { label: "Read mail", description: "All inboxes of the organization, with new mail." },
  "mailbox:send": { label: "Send mail", description: "Send, reply and forward from all inboxes." },
  "mailbox:create": { label: "Create inboxes", description: "Each one counts against the quota below." },
  "mailbox:delete": { label: "Delete inboxes", description: "With all their mail. This cannot be undone." },
} as const satisfies Record<string, Words>;
