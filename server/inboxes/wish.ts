// What a create asks for, and what it gives.
import type { InboxRow } from "../base/tenancy.ts";
import type { NewPayment } from "../payments/require.ts";
import type { NewWebhook } from "../webhooks/register.ts";

export type Wish = {
  row: InboxRow & { enrollment_key_id: string; agent_id: string };
  webhook: NewWebhook | undefined;
  /** There when the mailbox is to be reserved until this is settled. */
  payment?: NewPayment;
};
/** `receipt`: headers, when it was paid for. */
export type Created = {
  inbox: InboxRow;
  replayed: boolean;
  webhook: NewWebhook | undefined;
  receipt?: Record<string, string>;
};

/** Another process took the address or the `client_id` between our look and our insert: look again. */
export const RACED = Symbol("raced");
/** Nothing speaks against it but that it costs money. */
export const UNPAID = Symbol("unpaid");
