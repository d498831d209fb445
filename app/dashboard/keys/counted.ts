// Shows counts of a key's mailboxes, which the service counts among the newest.

/** As COUNTED_INBOXES of server/keys/view.ts. */
const COUNTED_INBOXES = 10_000;

/** Whether the key has more mailboxes than were counted. */
export function isPartial({ used_count }: { used_count: number }): boolean {
  return used_count > COUNTED_INBOXES;
}

export function liveInboxes(key: { live_inboxes: number; used_count: number }): string {
  return `${key.live_inboxes.toLocaleString("en")}${isPartial(key) ? "+" : ""}`;
}
