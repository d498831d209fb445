// Declares the service that records events together with their webhook deliveries. It is made in server/webhooks/, which
// owns the table of deliveries, so that folders below webhooks can record events too.
import type { TransactionSql } from "postgres";
import type { NewEvent, StoredEvent } from "./record.ts";

declare module "../base/context.ts" {
  interface Services {
    eventLog: EventLog;
  }
}

export type Recorded = { events: StoredEvent[]; deliveries: number };

export type EventLog = {
  /**
   * Stores events and the deliveries of active webhooks that subscribe to them: webhooks of the event's mailbox and
   * webhooks for all mailboxes. Call it last in a transaction, because it locks the positions of the organizations.
   */
  record(tx: TransactionSql, events: NewEvent[], now: Date): Promise<Recorded>;
  /** Wakes waits, streams and the delivery engine, after the commit. Never throws: the polls find what it missed. */
  announce(recorded: Recorded): void;
};
