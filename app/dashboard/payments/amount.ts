// Formats amounts and networks. Every supported network has USDC, with six decimals.

const DECIMALS = 6;
/** Prices have at least two decimals. */
const SHOWN_DECIMALS = 2;

const NETWORKS: Record<string, { name: string; isTest: boolean }> = {
  "eip155:8453": { name: "Base", isTest: false },
  "eip155:84532": { name: "Base Sepolia", isTest: true },
};

/** @param amount integer in the asset's smallest unit; it may exceed a number */
export function showUsdc(amount: string): string {
  const digits = amount.padStart(DECIMALS + 1, "0");
  const whole = BigInt(digits.slice(0, -DECIMALS)).toLocaleString("en");
  const part = digits.slice(-DECIMALS).replace(/0+$/, "").padEnd(SHOWN_DECIMALS, "0");
  return `${whole}.${part} USDC`;
}

/** @param network CAIP-2 identifier */
export function networkOf(network: string): { name: string; isTest: boolean } {
  return NETWORKS[network] ?? { name: network, isTest: false };
}
