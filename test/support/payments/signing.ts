// Payments signed by hand, from the specifications of EIP-3009 and x402 alone, so that tests can sign what no client would.
import { randomBytes } from "node:crypto";
import type { Hex, LocalAccount } from "viem";
import { encodeFunctionData, hexToNumber, slice } from "viem";
import { ASSET, CHAIN_ID, NETWORK, tokenAbi } from "./token.ts";

const VALID_SECONDS = 300;
/** The chain's clock may be behind ours. */
const SINCE_SECONDS = 600;

/** The six signed fields, as they go over the wire. */
export type Authorization = {
  from: Hex;
  to: Hex;
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: Hex;
};
export type Signed = { authorization: Authorization; signature: Hex };

const DOMAIN = { name: "USDC", version: "2", chainId: CHAIN_ID, verifyingContract: ASSET } as const;
const FIELDS = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const;

/** Signs a transfer of `value` to `to` now; `other` says what is otherwise, `domain` what is signed for. */
export async function authorize(
  account: LocalAccount,
  wanted: { to: string; value: bigint | string },
  other: Partial<Authorization> = {},
  domain: Partial<Record<keyof typeof DOMAIN, unknown>> = {},
): Promise<Signed> {
  const seconds = Math.floor(Date.now() / 1_000);
  const authorization: Authorization = {
    from: account.address,
    to: wanted.to as Hex,
    value: `${wanted.value}`,
    validAfter: `${seconds - SINCE_SECONDS}`,
    validBefore: `${seconds + VALID_SECONDS}`,
    nonce: `0x${randomBytes(32).toString("hex")}`,
    ...other,
  };
  const { value, validAfter, validBefore } = authorization;
  const signature = await account.signTypedData({
    domain: { ...DOMAIN, ...domain } as typeof DOMAIN,
    types: { TransferWithAuthorization: FIELDS },
    primaryType: "TransferWithAuthorization",
    message: {
      ...authorization,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
  });
  return { authorization, signature };
}

/** JSON in base64, as a header carries it. */
export function encodeHeader(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}

/** For `X-PAYMENT`: the first version of the protocol. */
export function payloadV1(payload: Signed): string {
  return encodeHeader({ x402Version: 1, scheme: "exact", network: "base-sepolia", payload });
}

/** For `PAYMENT-SIGNATURE`: the second version, which repeats what it accepted. */
export function payloadV2(payload: Signed, resource = "http://service.example/v1/inboxes"): string {
  const { to: payTo, value: amount } = payload.authorization;
  const extra = { name: DOMAIN.name, version: DOMAIN.version };
  const accepted = { scheme: "exact", network: NETWORK, asset: ASSET, amount, payTo, maxTimeoutSeconds: 300, extra };
  return encodeHeader({ x402Version: 2, resource: { url: resource }, accepted, payload });
}

/** A call of the dollar that pays what was signed, past the service. */
export function payDirectly({ authorization, signature }: Signed): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return encodeFunctionData({
    abi: tokenAbi,
    functionName: "transferWithAuthorization",
    args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
  });
}

/** A call of the dollar that cancels what was signed: it can never be paid from then on. */
export async function cancelDirectly(account: LocalAccount, { authorization }: Signed): Promise<Hex> {
  const { nonce } = authorization;
  const signature = await account.signTypedData({
    domain: DOMAIN,
    types: {
      CancelAuthorization: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "CancelAuthorization",
    message: { authorizer: account.address, nonce },
  });
  const [r, s, v] = [slice(signature, 0, 32), slice(signature, 32, 64), hexToNumber(slice(signature, 64))];
  const args = [account.address, nonce, v, r, s] as const;
  return encodeFunctionData({ abi: tokenAbi, functionName: "cancelAuthorization", args });
}
