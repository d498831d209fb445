// A `fetch` that pays: when the service answers 402, it signs the requested payment and repeats the request with it.

/** 1.00 of USDC, the test price of ten mailboxes. */
const MAX_AMOUNT = 1_000_000n;
/** The service accepts 10 seconds to 15 minutes. */
const VALID_SECONDS = 300;
/** The chain's clock may be behind the local one. */
const SINCE_SECONDS = 600;
const NONCE_BYTES = 32;
const REPEATS_MAX = 12;
const RETRY_AFTER_DEFAULT_SECONDS = 5;
const RETRY_AFTER_MAX_SECONDS = 15;
const HEADER_MAX_CHARS = 4_096;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const AMOUNT = /^[1-9]\d{0,77}$/;
const SCHEME = "exact";
const TOO_MANY_REQUESTS = 429;

type Hex = `0x${string}`;

/** A token for payments. Its contract must support EIP-3009; `name` and `version` are of its EIP-712 domain. */
export type PaymentAsset = { network: `eip155:${number}`; address: Hex; name: string; version: string };

/** Test dollars on Base Sepolia, the default. */
export const USDC_BASE_SEPOLIA: PaymentAsset = {
  network: "eip155:84532",
  address: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  name: "USDC",
  version: "2",
};
/** Real dollars on Base. */
export const USDC_BASE: PaymentAsset = {
  network: "eip155:8453",
  address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  name: "USD Coin",
  version: "2",
};

const TYPES = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

/** The signed data: EIP-712 data of an EIP-3009 `transferWithAuthorization`. */
export type PaymentTypedData = {
  domain: { name: string; version: string; chainId: number; verifyingContract: Hex };
  types: typeof TYPES;
  primaryType: "TransferWithAuthorization";
  message: { from: Hex; to: Hex; value: bigint; validAfter: bigint; validBefore: bigint; nonce: Hex };
};

/** The payer: a `LocalAccount` of viem, for example from `privateKeyToAccount`, or an equivalent signer. */
export type PayingAccount = { address: Hex; signTypedData(typedData: PaymentTypedData): Promise<Hex> };

export type PayingFetchOptions = {
  /** The most to pay for one call, in the asset's smallest unit. Default 1000000: 1.00 of USDC. */
  maxAmount?: bigint;
  /** The accepted assets. Default: test dollars only. */
  assets?: readonly PaymentAsset[];
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch;
};

export type PaymentRefusedReason = "malformed_terms" | "asset_not_allowed" | "amount_over_maximum";

/** Thrown for a price that was not paid; nothing was signed. */
export class PaymentRefusedError extends Error {
  readonly reason: PaymentRefusedReason;

  constructor(reason: PaymentRefusedReason, message: string) {
    super(message);
    this.name = "PaymentRefusedError";
    this.reason = reason;
  }
}

type Terms = { asset: PaymentAsset; amount: bigint; payTo: Hex };

/** Parses `PAYMENT-REQUIRED: network=…; asset=…; amount=…; pay_to=…; …` and checks it against the options. */
function readTerms(header: string, assets: readonly PaymentAsset[], maxAmount: bigint): Terms {
  const fields = new Map<string, string>();
  for (const part of header.slice(0, HEADER_MAX_CHARS).split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0) fields.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  const [network = "", address = "", amount = "", payTo = ""] = ["network", "asset", "amount", "pay_to"].map((name) =>
    fields.get(name),
  );
  if (!ADDRESS.test(address) || !AMOUNT.test(amount) || !ADDRESS.test(payTo)) {
    throw new PaymentRefusedError("malformed_terms", "PAYMENT-REQUIRED has no asset, amount and pay_to.");
  }
  const asset = assets.find((one) => one.network === network && one.address.toLowerCase() === address.toLowerCase());
  if (!asset) {
    throw new PaymentRefusedError("asset_not_allowed", `${address} on ${network} is not in the accepted assets.`);
  }
  if (BigInt(amount) > maxAmount) {
    const message = `The price is ${amount}, and ${maxAmount} is the limit for one call.`;
    throw new PaymentRefusedError("amount_over_maximum", message);
  }
  return { asset, amount: BigInt(amount), payTo: payTo as Hex };
}

function newNonce(): Hex {
  const bytes = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** The signed payload, in x402 version 2 for `PAYMENT-SIGNATURE`. */
async function sign(account: PayingAccount, { asset, amount, payTo }: Terms): Promise<string> {
  const { network, address, name, version } = asset;
  const seconds = BigInt(Math.floor(Date.now() / 1_000));
  const message = {
    from: account.address,
    to: payTo,
    value: amount,
    validAfter: seconds - BigInt(SINCE_SECONDS),
    validBefore: seconds + BigInt(VALID_SECONDS),
    nonce: newNonce(),
  };
  const signature = await account.signTypedData({
    domain: { name, version, chainId: Number(network.slice("eip155:".length)), verifyingContract: address },
    types: TYPES,
    primaryType: "TransferWithAuthorization",
    message,
  });
  const accepted = {
    scheme: SCHEME,
    network,
    asset: address,
    amount: `${amount}`,
    payTo,
    maxTimeoutSeconds: VALID_SECONDS,
    extra: { name, version },
  };
  const authorization = {
    ...message,
    value: `${message.value}`,
    validAfter: `${message.validAfter}`,
    validBefore: `${message.validBefore}`,
  };
  return btoa(JSON.stringify({ x402Version: 2, accepted, payload: { signature, authorization } }));
}

/** A function that repeats the same request, even if its body can be read only once. */
async function repeatable(input: string | URL | Request, init: RequestInit | undefined) {
  const ours = init?.body instanceof ReadableStream ? await new Response(init.body).arrayBuffer() : init?.body;
  const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
  const given = init?.headers ?? (input instanceof Request ? input.headers : undefined);
  return {
    signal,
    next(payload: string | undefined): [string | URL | Request, RequestInit] {
      const headers = new Headers(given);
      if (payload !== undefined) headers.set("PAYMENT-SIGNATURE", payload);
      const request = input instanceof Request ? input.clone() : input;
      return [request, { ...init, ...(ours != null && { body: ours }), headers }];
    },
  };
}

/** Ends early if the call is aborted, by throwing the reason. */
function pause(seconds: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, seconds * 1_000);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}

function retryAfter(answer: Response | undefined): number {
  const header = answer?.headers.get("Retry-After") ?? "";
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : RETRY_AFTER_DEFAULT_SECONDS;
  return Math.min(seconds, RETRY_AFTER_MAX_SECONDS);
}

/**
 * Whether the payment may have been made without a result. With a payload sent, that is every answer that does not
 * decide: repeating the same payload is safe, and giving up is not.
 */
async function isUndecided(answer: Response, paying: boolean): Promise<boolean> {
  if (paying) return answer.status >= 500 || answer.status === TOO_MANY_REQUESTS;
  return answer.status === 503 && (await answer.clone().text()).includes('"payment_pending"');
}

/**
 * A `fetch` for `createClient` and for plain REST. When the service answers 402, it signs one EIP-3009 authorization of
 * the quoted amount and repeats the request with it in `PAYMENT-SIGNATURE`. While the service does not know the result,
 * and when an answer was lost, it repeats with the same payload for about a minute, and never signs another. It returns
 * the last answer: the mailbox, a 402 whose payment was rejected, or a 503 with an unknown result. After a 503, call
 * again with the same `client_id`, which is never paid for twice.
 * @throws PaymentRefusedError if the price or the asset is not within `options`; nothing was signed
 * @throws the errors of `fetch`
 */
export function payingFetch(account: PayingAccount, options: PayingFetchOptions = {}): typeof globalThis.fetch {
  const { maxAmount = MAX_AMOUNT, assets = [USDC_BASE_SEPOLIA], fetch = globalThis.fetch } = options;

  return async (input, init) => {
    const request = await repeatable(input, init);
    let payload: string | undefined;
    for (let repeats = 0; ; ) {
      const answer = await fetch(...request.next(payload)).catch((error: unknown) => {
        if (payload === undefined || request.signal?.aborted || repeats === REPEATS_MAX) throw error;
        return undefined; // the connection broke, perhaps after it was paid
      });
      const terms = answer?.status === 402 ? answer.headers.get("PAYMENT-REQUIRED") : null;
      if (answer && terms !== null && payload === undefined) {
        await answer.body?.cancel();
        payload = await sign(account, readTerms(terms, assets, maxAmount));
        continue;
      }
      if (answer && !(await isUndecided(answer, payload !== undefined))) return answer;
      if (answer && repeats === REPEATS_MAX) return answer;
      repeats += 1;
      await answer?.body?.cancel();
      await pause(retryAfter(answer), request.signal);
    }
  };
}
