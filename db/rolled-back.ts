// Runs work in a transaction without its effects.
import { TransactionRollbackError } from "drizzle-orm";
import type { Database, Transaction } from "./client.ts";

/** Runs `work` in a transaction whose changes are discarded. */
export async function rolledBack(db: Database, work: (tx: Transaction) => Promise<void>): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      await work(tx);
      tx.rollback();
    });
  } catch (error) {
    if (!(error instanceof TransactionRollbackError)) throw error;
  }
}
