// The port to the chain: what became of an EIP-3009 authorization. What was paid is believed when the chain says so.
// Implemented by server/adapters/viem-chain.ts, held to test/contracts/chain.

/** Addresses and nonce as `0x…` in lower case; `amount` in the asset's smallest unit, decimal. */
export type Authorization = { asset: string; payer: string; nonce: string; payTo: string; amount: string };

/**
 * `unused` at a block of that time (Unix seconds): it may still be used until `validBefore`. `paid`: used by a successful
 * transaction that moved exactly `amount` from `payer` to `payTo`. `lost`: canceled, or used for something else.
 * `unknown`: the chain shows that it was used and does not show how, or does not answer.
 */
export type Evidence =
  | { state: "unused"; time: number }
  | { state: "paid"; transaction: string }
  | { state: "lost" | "unknown"; reason: string };

/** Never throws for what a node or the network does. */
export type Chain = {
  /** The newest block, and whether the nonce was used or canceled by then; undefined when the chain does not answer. */
  nonceAtHead(
    nonce: Pick<Authorization, "asset" | "payer" | "nonce">,
  ): Promise<{ block: number; used: boolean } | undefined>;
  /** What became of the authorization since `fromBlock`, at which it was unused. */
  look(authorization: Authorization, fromBlock: number): Promise<Evidence>;
};
