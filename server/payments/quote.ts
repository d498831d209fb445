// What is asked for mailboxes, in every form a payer may read: the specification's header and body, and both versions of x402.
import type { Settings } from "../base/env.ts";
import { ServiceError } from "../base/errors.ts";
import { NETWORKS } from "./network.ts";

/** How long a payer may let an authorization live; its window is judged in verify.ts. */
const TIMEOUT_SECONDS = 300;
const SCHEME = "exact";
const MIME_TYPE = "application/json";

export type Path = "/v1/inboxes" | "/v1/purchase";

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
  /** What is paid for, as a URL. */
  url: string;
  description: string;
};

/** The price of `mailboxes` at this moment. Quotes are recomputed, never stored. */
export function quoteFor(settings: Settings, mailboxes: number, path: Path): Quote {
  const { PAYMENTS_NETWORK: network, PAYMENTS_PRICE_PER_MAILBOX: price, PAYMENTS_PAY_TO: payTo } = settings;
  if (payTo === undefined) throw new Error("env.ts lets no PAYMENTS_ENABLED pass without PAYMENTS_PAY_TO");
  return {
    ...NETWORKS[network],
    network,
    amount: String(BigInt(price) * BigInt(mailboxes)),
    payTo,
    resource: `mailboxes:${mailboxes}`,
    facilitator: settings.PAYMENTS_FACILITATOR_URL,
    url: `${settings.PUBLIC_URL.replace(/\/$/, "")}${path}`,
    description: mailboxes === 1 ? "One mailbox" : `${mailboxes} mailboxes`,
  };
}

/** The PAYMENT-REQUIRED header of the specification's paid flow. */
function literalHeader(quote: Quote): string {
  const { network, asset, amount, payTo, resource, facilitator } = quote;
  const fields = { network, asset, amount, pay_to: payTo, resource, facilitator };
  return Object.entries(fields)
    .map(([key, value]) => `${key}=${value}`)
    .join("; ");
}

/** One entry of `accepts` in x402 version 1; its clients refuse all entries for one that has a field missing or null. */
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

/** The resource that x402 version 2 names beside the requirements. */
export function resourceV2(quote: Quote) {
  return { url: quote.url, description: quote.description, mimeType: MIME_TYPE };
}

/**
 * The 402 refusal. The body is the same for everyone; the header is the specification's, or for a caller who reads version 2
 * of x402 that one's, in base64.
 * @param receipt headers that tell of a payment that was tried and came to nothing
 */
export function paymentRequired(
  quote: Quote,
  version: 1 | 2,
  failed?: { reason: string; receipt: Record<string, string> },
): ServiceError {
  const { network, asset, amount, payTo: pay_to, resource, facilitator, eip712 } = quote;
  const message = failed
    ? `The payment was not accepted (${failed.reason}); nothing was charged.`
    : `This costs ${amount} of ${asset} on ${network}.`;
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
    },
  });
}

export function toBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}
