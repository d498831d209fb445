// The supported networks, and USDC on each of them.
import type { Settings } from "../base/env.ts";

type Network = {
  chainId: number;
  /** The name in x402 version 1; version 2 uses the CAIP-2 identifier. */
  v1Name: string;
  /** Contract of the asset, with the EIP-55 checksum that wallets show. */
  asset: string;
  /** The asset's EIP-712 domain, whose name differs between the two. */
  eip712: { name: string; version: string };
};

export const NETWORKS: Record<Settings["PAYMENTS_NETWORK"], Network> = {
  "eip155:84532": {
    chainId: 84_532,
    v1Name: "base-sepolia",
    asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    eip712: { name: "USDC", version: "2" },
  },
  "eip155:8453": {
    chainId: 8_453,
    v1Name: "base",
    asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    eip712: { name: "USD Coin", version: "2" },
  },
};
