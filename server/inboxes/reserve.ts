// Reserves mailboxes for payments that were accepted and are not settled: each with the row of its payment, in one transaction.
import { plainOf, type Transaction } from "#db/client.ts";
import { type GroupCommit, groupCommit } from "../base/batching/group-commit.ts";
import type { Services } from "../base/context.ts";
import { insertPayments, type NewPayment, noteSuperseded, withdrawPayments } from "../payments/require.ts";
import { type Decision, decide, RACED, type Wish } from "./decide.ts";
import { insertAccepted } from "./insert.ts";
import { lockAndRead } from "./look.ts";

declare module "../base/context.ts" {
  interface Services {
    /** Reservations that arrive together share a transaction, so that many payments of one key do not take all connections. */
    inboxReservations: GroupCommit<Reservation, Decision>;
  }
}

const BATCH_MAX = 64;
const BATCHES_IN_FLIGHT = 1;

type Reservation = Wish & { payment: NewPayment };
type Needs = Pick<Services, "db" | "now" | "settings" | "payments" | "outbound" | "takeOverRestraints" | "eventLog">;

export function createInboxReservations(services: Needs): Services["inboxReservations"] {
  return groupCommit(
    services,
    (wanted: Reservation[]) => services.db.transaction((tx) => reserve(tx, services, wanted)),
    {
      items: BATCH_MAX,
      weight: BATCH_MAX,
      inFlight: BATCHES_IN_FLIGHT,
      weigh: () => 1,
    },
  );
}

/** @returns the decisions, in the order of the reservations; RACED when a copy of the request has the payment */
async function reserve(tx: Transaction, services: Needs, wanted: Reservation[]): Promise<Decision[]> {
  const reservations = wanted.map((wish) => ({ ...wish, row: { ...wish.row, status: "reserved" as const } }));
  // Locks the quotas: before the payments, as in payments/fulfil.ts.
  const found = await lockAndRead(plainOf(tx), services, reservations);
  const fresh = await insertPayments(tx, reservations.map(paymentRow));
  const wishes = reservations.filter(({ payment }) => fresh.has(payment.id));
  const decided = decide(services.settings, wishes, found, true);
  // They have their events when they are live.
  const { ids: inserted } = await insertAccepted(tx, services, decided);
  const refused = wishes.filter(({ row }) => !inserted.has(row.id));
  await withdrawPayments(
    tx,
    refused.map(({ payment }) => payment.id),
  );
  for (const [inboxId, { id }] of decided.superseded) await noteSuperseded(tx, inboxId, id);
  const results = new Map<string, Decision>(wishes.map(({ row }, place) => [row.id, decided.results[place] ?? RACED]));
  for (const { row } of decided.accepted) if (!inserted.has(row.id)) results.set(row.id, RACED);
  return wanted.map(({ row }) => results.get(row.id) ?? RACED);
}

/** With what it takes to make the mailbox live, also in another process. */
function paymentRow({ row, webhook, payment }: Reservation) {
  const brought = webhook ? { id: webhook.id, url: webhook.url, sealed: webhook.sealed.toString("base64") } : null;
  return { ...payment, inbox_id: row.id, webhook: brought };
}
