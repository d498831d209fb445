// The port to the chain: reads the result of an EIP-3009 authorization. The chain decides whether a payment was made.
// Implemented by server/adapters/viem-chain.ts, tested by test/contracts/chain.

/** Addresses and nonce as `0x…` in lower case; `amount` in the asset's smallest unit, decimal. */
export type Authorization = { asset: string; payer: string; nonce: string; payTo: string; amount: string };

/**
 * `unused` at a block of that time (Unix seconds): it may still be used until `validBefore`. `paid`: a successful
 * transaction used it and moved exactly `amount` from `payer` to `payTo`. `lost`: canceled, or used for something else.
 * `unknown`: the chain shows that it was used but not how, or does not answer.
 */
export type Evidence =
  | { state: "unused"; time: number }
  | { state: "paid"; transaction: string }
  | { state: "lost" | "unknown"; reason: string };

/** Failures of a node or the network are results, never exceptions. */
export type Chain = {
  /** The newest block, and whether the nonce was used or canceled by then; a `reason` for the log if the chain does not answer. */
  nonceAtHead(
    nonce: Pick<Authorization, "asset" | "payer" | "nonce">,
  ): Promise<{ block: number; used: boolean } | { reason: string }>;
  /** The result of the authorization since `fromBlock`, at which it was unused. */
  look(authorization: Authorization, fromBlock: number): Promise<Evidence>;
};
