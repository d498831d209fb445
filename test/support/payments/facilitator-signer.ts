// The facilitator's hand on the chain, which never waits long for a transaction to be mined.
import type { toFacilitatorEvmSigner } from "@x402/evm";
import { encodeFunctionData, type Hex } from "viem";
import type { Reader, Send } from "./sender.ts";

const RECEIPT_MAX_MS = 3_000;
const RECEIPT_POLL_MS = 20;

export type Signer = ReturnType<typeof toFacilitatorEvmSigner>;

export function facilitatorSigner(address: Hex, reader: Reader, send: Send): Signer {
  return {
    getAddresses: () => [address],
    readContract: (args) => reader.readContract(args as never),
    verifyTypedData: (args) => reader.verifyTypedData(args as never),
    getCode: (args) => reader.getCode(args),
    writeContract: ({ address: to, ...call }) => send(to, encodeFunctionData(call as never)),
    sendTransaction: ({ to, data }) => send(to, data),
    waitForTransactionReceipt: ({ hash }) =>
      reader.waitForTransactionReceipt({ hash, timeout: RECEIPT_MAX_MS, pollingInterval: RECEIPT_POLL_MS }),
  };
}
