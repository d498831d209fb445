// Checks a signed payload locally: amount, payee, network, validity, and the payer's signature.
import { invalidPayment, type Payload, type Signed } from "./header.ts";
import type { Quote } from "./quote.ts";

/** The minimum and maximum time until `validBefore`: enough to settle, and a limit on unknown results. */
const AHEAD_MIN_SECONDS = 10;
const AHEAD_MAX_SECONDS = 900;
/** Hexadecimal digits of an ECDSA signature r ‖ s ‖ v. Longer ones are of contract wallets (EIP-1271, EIP-6492). */
const ECDSA_DIGITS = 130;
/**
 * Order of secp256k1. A signature with s in the upper half is a second form of the same one, which USDC rejects
 * (EIP-2).
 */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const FIELDS = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
];

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/**
 * Checks network, scheme, asset, payee, exact value and validity.
 * @param now Unix seconds
 * @throws ServiceError `invalid_payment`
 */
export function checkTerms(payload: Payload, quote: Quote, now: number): void {
  const { authorization } = payload.payload;
  const offer = payload.x402Version === 2 ? payload.accepted : payload;
  const network = payload.x402Version === 2 ? quote.network : quote.v1Name;
  if (offer.scheme !== "exact") throw invalidPayment("the scheme is not `exact`");
  if (offer.network !== network) throw invalidPayment(`the network is not ${network}`);
  if (payload.x402Version === 2) {
    const { asset, payTo, amount } = payload.accepted;
    if (!same(asset, quote.asset)) throw invalidPayment(`the asset is not ${quote.asset}`);
    if (!same(payTo, quote.payTo)) throw invalidPayment(`the payee is not ${quote.payTo}`);
    if (amount !== quote.amount) throw invalidPayment(`the amount is not ${quote.amount}`);
  }
  if (!same(authorization.to, quote.payTo)) throw invalidPayment(`its payee is not ${quote.payTo}`);
  if (authorization.value !== quote.amount) throw invalidPayment(`its value is not ${quote.amount}`);
  checkWindow(authorization, now);
}

function checkWindow({ validAfter, validBefore }: Signed["authorization"], now: number): void {
  if (BigInt(validAfter) > BigInt(now)) throw invalidPayment("it is not valid yet");
  const ahead = BigInt(validBefore) - BigInt(now);
  if (ahead < BigInt(AHEAD_MIN_SECONDS)) throw invalidPayment(`it expires in less than ${AHEAD_MIN_SECONDS} seconds`);
  if (ahead > BigInt(AHEAD_MAX_SECONDS)) throw invalidPayment(`it expires in more than ${AHEAD_MAX_SECONDS} seconds`);
}

/**
 * Checks the payer's signature (EIP-712, EIP-3009 `TransferWithAuthorization`). Signatures of contract wallets are not
 * ECDSA, and only the facilitator can check them.
 * @throws ServiceError `invalid_payment`
 */
export async function checkSignature({ signature, authorization }: Signed, quote: Quote): Promise<void> {
  const digits = signature.slice(2);
  if (digits.length !== ECDSA_DIGITS) return;
  const [r, s] = [BigInt(`0x${digits.slice(0, 64)}`), BigInt(`0x${digits.slice(64, 128)}`)];
  const v = Number.parseInt(digits.slice(128), 16);
  if (v !== 27 && v !== 28) throw invalidPayment("v of its signature is neither 27 nor 28");
  if (s > CURVE_ORDER / 2n) throw invalidPayment("s of its signature is in the upper half");
  if (r === 0n || s === 0n || r >= CURVE_ORDER) throw invalidPayment("its signature is not valid");
  if (!same(await signer(signature, authorization, quote), authorization.from)) {
    throw invalidPayment("it is not signed by `from`, or not for this asset on this network");
  }
}

async function signer(signature: string, authorization: Signed["authorization"], quote: Quote): Promise<string> {
  // Imported on first use: it takes longer to load than the rest of the service, and most installations never need it.
  const { recoverTypedDataAddress } = await import("viem/utils");
  const { from, to, nonce } = authorization;
  try {
    return await recoverTypedDataAddress({
      domain: { ...quote.eip712, chainId: quote.chainId, verifyingContract: quote.asset as `0x${string}` },
      types: { TransferWithAuthorization: FIELDS },
      primaryType: "TransferWithAuthorization",
      message: {
        // viem rejects mixed-case addresses without an EIP-55 checksum; the signature does not cover case.
        from: from.toLowerCase(),
        to: to.toLowerCase(),
        value: BigInt(authorization.value),
        validAfter: BigInt(authorization.validAfter),
        validBefore: BigInt(authorization.validBefore),
        nonce,
      },
      signature: signature as `0x${string}`,
    });
  } catch {
    throw invalidPayment("its signature is not valid"); // r is not on the curve, or a number exceeds uint256
  }
}
