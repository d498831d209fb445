// The port to an x402 facilitator, which verifies signed payments and puts them on the chain.
// Implemented by server/adapters/http-facilitator.ts, held to test/contracts/facilitator.

/** A signed payload with the requirements it answers, both in the form of the protocol version that the payer used. */
export type PaymentRequest = {
  x402Version: 1 | 2;
  paymentPayload: Record<string, unknown>;
  paymentRequirements: Record<string, unknown>;
};

/** `unknown`: no answer, or none that says. `reason` is the facilitator's word, shortened. */
export type VerifyOutcome = { outcome: "valid" } | { outcome: "invalid" | "unknown"; reason: string };

/**
 * `settled`: so it says; the chain has the last word. `rejected`: for a reason that is listed as one that moves no money.
 * `unknown`: anything else (timeout, reset, 5xx, garbage, an unlisted reason).
 */
export type SettleOutcome = { outcome: "settled" } | { outcome: "rejected" | "unknown"; reason: string };

/** Never throws for what the facilitator or the network does: that is an outcome. */
export type Facilitator = {
  /** Whether GET /supported lists the scheme `exact` on the network, by either of its names; undefined: it did not say. */
  supports(networkNames: string[]): Promise<boolean | undefined>;
  verify(request: PaymentRequest): Promise<VerifyOutcome>;
  settle(request: PaymentRequest): Promise<SettleOutcome>;
  close(): Promise<void>;
};
