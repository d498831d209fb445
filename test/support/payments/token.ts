// What the chain of the test network starts with: a dollar where Base Sepolia has USDC, and a multicall at its usual address.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestClient } from "viem";
import { parseAbi } from "viem";
import compiled from "./contracts/compiled.json" with { type: "json" };

export const CHAIN_ID = 84_532;
export const NETWORK = "eip155:84532";
export const ASSET = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const MULTICALL = "0xcA11bde05977b3631167028862bE2a173976CA11";

/** The part of the dollar that tests speak to; `compiled.json` has all of it. */
export const tokenAbi = parseAbi([
  "function mint(address to, uint256 value)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);

type Contract = { source_sha256: string; runtime: string };

/** @throws Error when a source was changed and not compiled again */
function runtimeOf(name: keyof typeof compiled): `0x${string}` {
  const { source_sha256, runtime }: Contract = compiled[name];
  const source = readFileSync(join(import.meta.dirname, `contracts/${name}.sol`));
  if (createHash("sha256").update(source).digest("hex") !== source_sha256) {
    throw new Error(`${name}.sol was changed: node test/support/payments/contracts/compile.ts`);
  }
  return runtime as `0x${string}`;
}

export async function placeContracts(chain: TestClient<"anvil">): Promise<void> {
  await chain.setCode({ address: ASSET, bytecode: runtimeOf("TestDollar") });
  await chain.setCode({ address: MULTICALL, bytecode: runtimeOf("Multicall") });
}
