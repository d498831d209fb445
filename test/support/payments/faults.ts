// What may go wrong at a facilitator, by name, and the points of a payment at which a test may step in.

/** In the order of a payment: which of them come before money moved matters to what must follow. */
export const FAULTS = {
  /** Connections fail. */
  down: "before",
  /** 500, and nothing was sent to the chain. */
  fail_before: "before",
  /** No answer ever, and nothing was sent to the chain. */
  hang_before: "before",
  /** The connection breaks, and nothing was sent to the chain. */
  drop_before: "before",
  /** 200 with a page of a proxy. */
  garbage: "before",
  /** 200 with JSON of another kind. */
  garbage_json: "before",
  /** 200 with success and an unknown transaction. */
  lie_transaction: "before",
  /** 200 with success and a real transaction, in which the amount went to another. */
  lie_payee: "before",
  /** 200 with success and a real transaction, in which the payee got another amount. */
  lie_amount: "before",
  /** 200 with success and the real transaction of an earlier payment; `lie_transaction` when there was none. */
  lie_earlier: "before",
  /** All as it should be, but late. */
  slow: "after",
  /** The money moved, and the connection breaks. */
  drop_after: "after",
  /** The money moved, and no answer ever. */
  hang_after: "after",
  /** The money moved, and 502. */
  "502_after": "after",
  /** The money moved, and the answer is a refusal. */
  refuse_after: "after",
  /** Sent to the chain, `settlement_pending` with 500. */
  pending_500: "after",
  /** Sent to the chain, `settlement_pending` with 200. */
  pending_200: "after",
} as const;

export type Fault = keyof typeof FAULTS;
export type Call = "verify" | "settle";
/** A call came; the transaction is mined; the answer has been written. */
export type Point = "verify" | "settle" | "transferred" | "answered";

/** `payer`: only for what that account pays. */
type Where = { call?: Call; payer?: string };

type Faults = {
  /** From now on, until `clear`; settling is what fails, for everybody, if nothing else is said. */
  set(name: Fault, where?: Where): void;
  clear(): void;
};

/** Receives the payer; delays what waits for it. */
export type Watcher = (payer: string) => void | Promise<void>;

const ANYBODY = "";

export function switchboard() {
  const active = new Map<string, Fault>();
  const watchers = new Map<Point, Watcher>();
  const calls = { verify: 0, settle: 0 };
  const keyOf = (call: Call, payer: string) => `${call} ${payer.toLowerCase()}`;
  const faults: Faults = {
    set(name, { call = "settle", payer = ANYBODY } = {}) {
      active.set(keyOf(call, payer), name);
    },
    clear() {
      active.clear();
    },
  };
  return {
    faults,
    calls,
    faultOf: (call: Call, payer: string): Fault | undefined =>
      active.get(keyOf(call, payer)) ?? active.get(keyOf(call, ANYBODY)),
    /** Runs `watcher` whenever a payment reaches the point, which waits for it; one a point, and none to end it. */
    at(point: Point, watcher?: Watcher): void {
      if (watcher) watchers.set(point, watcher);
      else watchers.delete(point);
    },
    async reach(point: Point, payer: string): Promise<void> {
      await watchers.get(point)?.(payer);
    },
  };
}

export type Switchboard = ReturnType<typeof switchboard>;
