// The port to an x402 facilitator, which verifies signed payments and settles them on the chain. Implemented by
// server/adapters/http-facilitator.ts, tested by test/contracts/facilitator.

/** A signed payload and the requirements it answers, both in the protocol version that the payer used. */
export type PaymentRequest = {
  x402Version: 1 | 2;
  paymentPayload: Record<string, unknown>;
  paymentRequirements: Record<string, unknown>;
};

/** `unknown`: no answer, or an unclear one. `reason` is the facilitator's reason, shortened. */
export type VerifyOutcome = { outcome: "valid" } | { outcome: "invalid" | "unknown"; reason: string };

/**
 * `settled`: the facilitator's claim, which the chain must confirm. `rejected`: a listed reason that moves no money.
 * `unknown`: anything else (timeout, reset, 5xx, invalid answer, an unlisted reason).
 */
export type SettleOutcome = { outcome: "settled" } | { outcome: "rejected" | "unknown"; reason: string };

/** Failures of the facilitator or the network are results, never exceptions. */
export type Facilitator = {
  /**
   * Whether GET /supported lists the scheme `exact` on the network, by either of its names; undefined if the answer is
   * unclear.
   */
  supports(networkNames: string[]): Promise<boolean | undefined>;
  verify(request: PaymentRequest): Promise<VerifyOutcome>;
  settle(request: PaymentRequest): Promise<SettleOutcome>;
  close(): Promise<void>;
};
