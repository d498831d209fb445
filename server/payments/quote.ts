// Builds the price quote for mailboxes in every format: the specification's header and body, and both versions of x402.
import type { z } from "zod";
import type { Settings } from "../base/env.ts";
import { ServiceError } from "../base/errors.ts";
import type { paymentTerms } from "./schema.ts";

// The supported networks, and USDC on each of them.
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

/** The longest validity of an authorization; verify.ts checks its limits. */
const TIMEOUT_SECONDS = 300;
const SCHEME = "exact";
const MIME_TYPE = "application/json";

export type Path = "/v1/inboxes" | "/v1/verifications" | "/v1/purchase";

export type Quote = {
  network: Settings["PAYMENTS_NETWORK"];
  asset: string;
  /** In the asset's smallest unit, decimal. */
  amount: string;
  payTo: string;
  /** `mailboxes:<n>` */
  resource: string;
  facilitator: string;
  eip712: { name: string; version: string };
  chainId: number;
  v1Name: string;
  /** The paid resource, as a URL. */
  url: string;
  description: string;
};

/** The current price of `mailboxes`. Quotes are computed on each request, never stored. */
export function quoteFor(settings: Settings, mailboxes: number, path: Path): Quote {
  const { PAYMENTS_NETWORK: network, PAYMENTS_PRICE_PER_MAILBOX: price, PAYMENTS_PAY_TO: payTo } = settings;
  if (payTo === undefined) throw new Error("unreachable: env.ts requires PAYMENTS_PAY_TO with PAYMENTS_ENABLED");
  return {
    ...NETWORKS[network],
    network,
    amount: String(BigInt(price) * BigInt(mailboxes)),
    payTo,
    resource: `mailboxes:${mailboxes}`,
    facilitator: settings.PAYMENTS_FACILITATOR_URL,
    url: `${settings.PUBLIC_URL}${path}`,
    description: mailboxes === 1 ? "One mailbox" : `${mailboxes} mailboxes`,
  };
}

/** The PAYMENT-REQUIRED header of the specification. */
function literalHeader(quote: Quote): string {
  const { network, asset, amount, payTo, resource, facilitator } = quote;
  const fields = { network, asset, amount, pay_to: payTo, resource, facilitator };
  return Object.entries(fields)
    .map(([key, value]) => `${key}=${value}`)
    .join("; ");
}

/** One entry of `accepts` in x402 version 1. Its clients reject all entries if one has a missing or null field. */
export function requirementsV1(quote: Quote) {
  return {
    scheme: SCHEME,
    network: quote.v1Name,
    maxAmountRequired: quote.amount,
    resource: quote.url,
    description: quote.description,
    mimeType: MIME_TYPE,
    payTo: quote.payTo,
    maxTimeoutSeconds: TIMEOUT_SECONDS,
    asset: quote.asset,
    extra: quote.eip712,
  };
}

/** One entry of `accepts` in x402 version 2. */
export function requirementsV2(quote: Quote) {
  return {
    scheme: SCHEME,
    network: quote.network,
    amount: quote.amount,
    asset: quote.asset,
    payTo: quote.payTo,
    maxTimeoutSeconds: TIMEOUT_SECONDS,
    extra: quote.eip712,
  };
}

/** The resource that x402 version 2 has beside the requirements. */
export function resourceV2(quote: Quote) {
  return { url: quote.url, description: quote.description, mimeType: MIME_TYPE };
}

/**
 * The 402 error. The body is the same for all; the header is the specification's, or that of x402 version 2, in base64,
 * for its clients.
 * @param receipt headers about a payment attempt that failed
 */
export function paymentRequired(
  quote: Quote,
  version: 1 | 2,
  failed?: { reason: string; receipt: Record<string, string> },
): ServiceError {
  const { network, asset, amount, payTo: pay_to, resource, facilitator, eip712 } = quote;
  const message = failed
    ? `The payment was not accepted (${failed.reason}); nothing was charged.`
    : `The price is ${amount} of ${asset} on ${network}.`;
  const v2 = { x402Version: 2, error: message, resource: resourceV2(quote), accepts: [requirementsV2(quote)] };
  return new ServiceError("payment_required", message, {
    headers: {
      "PAYMENT-REQUIRED": version === 2 ? toBase64(v2) : literalHeader(quote),
      ...failed?.receipt,
    },
    body: {
      payment: { network, asset, amount, pay_to, resource, facilitator, eip712 },
      x402Version: 1,
      accepts: [requirementsV1(quote)],
    } satisfies z.infer<typeof paymentTerms>,
  });
}

export function toBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}
