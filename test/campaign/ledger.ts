// What the campaign asked for and what the service acknowledged: the side of the promise that the service must keep.

export type Created = { id: string; address: string };

export function newLedger() {
  return {
    /** client_id → the mailbox, of each answered create. */
    created: new Map<string, Created>(),
    /** Mailboxes whose delete was answered, by id. */
    deleted: new Set<string>(),
    /** Mailboxes whose delete was asked for, answered or not, by id. */
    deleting: new Set<string>(),
    /** Idempotency key → message id, of each answered send. */
    sent: new Map<string, string>(),
    /** Message-ID → message id, of each mail that got its 250. */
    mailed: new Map<string, { id: string; text: string }>(),
    /** Message ids, in the order in which waits with `claim` returned them. */
    claimed: [] as string[],
    /** How often each kind of answer came: `POST 201`, `smtp 250`, `no answer`. */
    answers: new Map<string, number>(),
    longestAnswer: { ms: 0, to: "nothing" },
  };
}

/** Remembers the request that took longest. */
export function noteAnswer(ledger: Ledger, to: string, ms: number): void {
  if (ms > ledger.longestAnswer.ms) ledger.longestAnswer = { ms, to };
}

export type Ledger = ReturnType<typeof newLedger>;

export function countAnswer({ answers }: Ledger, what: string): void {
  answers.set(what, (answers.get(what) ?? 0) + 1);
}
