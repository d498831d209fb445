// Reads the chain over JSON-RPC: what the asset's logs say about an EIP-3009 authorization.
import {
  type Address,
  createClient,
  getAbiItem,
  type Hex,
  http,
  numberToHex,
  pad,
  parseAbi,
  parseEventLogs,
  type RpcLog,
  rpcSchema,
  type TransactionReceipt,
  toEventSelector,
} from "viem";
import { getBlock, getTransactionReceipt, readContract } from "viem/actions";
import type { Authorization, Chain, Evidence } from "../base/ports/chain.ts";

const RPC_TIMEOUT_MS = 5_000;
const RPC_RETRIES = 1;
/**
 * Nodes refuse wider ranges. Base creates about 450 blocks in the 15 minutes for which an authorization may be valid.
 */
const LOG_RANGE_BLOCKS = 500;
/** An authorization lasts 15 minutes, so the first range has its log. A log beyond all ranges is not found: the payment stays unknown. */
const RANGES_MAX = 20;

const ABI = parseAbi([
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
]);
const TOPICS = ["AuthorizationUsed" as const, "AuthorizationCanceled" as const].map((name) =>
  toEventSelector(getAbiItem({ abi: ABI, name })),
);

type LogQuery = { address: string; topics: (Hex | Hex[])[]; fromBlock: Hex; toBlock: Hex };
type Rpc = [{ Method: "eth_getLogs"; Parameters: [LogQuery]; ReturnType: RpcLog[] }];
type Nonce = Pick<Authorization, "asset" | "payer" | "nonce">;

function clientsOf(transport: ReturnType<typeof http>) {
  return {
    client: createClient({ transport }),
    // viem's own getLogs leaves out the arguments when it is called with two events.
    logClient: createClient({ transport, rpcSchema: rpcSchema<Rpc>() }),
  };
}

type Clients = ReturnType<typeof clientsOf>;

export function viemChain({ rpcUrl }: { rpcUrl: string }): Chain {
  const transport = http(rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: RPC_RETRIES });
  const clients = clientsOf(transport);
  return {
    async nonceAtHead(nonce) {
      try {
        const { number } = await getBlock(clients.client, { blockTag: "latest" });
        return { block: Number(number), used: await usedAt(clients, nonce, number) };
      } catch (error) {
        return { reason: reasonOf(error) };
      }
    },
    async look(authorization, fromBlock) {
      try {
        const head = await getBlock(clients.client, { blockTag: "latest" });
        const log = await findLog(clients, authorization, BigInt(fromBlock), head.number);
        if (log) return await evidenceOf(clients, log, authorization);
        // A missing log alone proves nothing. An unused nonce at the block of the given time does.
        if (!(await usedAt(clients, authorization, head.number)))
          return { state: "unused", time: Number(head.timestamp) };
        return { state: "unknown", reason: "the nonce is used but its log was not found" };
      } catch (error) {
        return { state: "unknown", reason: reasonOf(error) };
      }
    },
  };
}

/** The name of an error. Its message may contain the URL of the node, which may contain a key. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.name : "failed";
}

/**
 * All reads use one block, so that a node that lags behind another one at the same URL fails instead of returning old
 * state.
 */
function usedAt(clients: Clients, { asset, payer, nonce }: Nonce, blockNumber: bigint) {
  return readContract(clients.client, {
    address: asset as Address,
    abi: ABI,
    functionName: "authorizationState",
    args: [payer as Address, nonce as Hex],
    blockNumber,
  });
}

async function findLog(
  clients: Clients,
  { asset, payer, nonce }: Nonce,
  fromBlock: bigint,
  head: bigint,
): Promise<RpcLog | undefined> {
  for (let range = 0, from = fromBlock; range < RANGES_MAX && from <= head; range += 1) {
    const last = from + BigInt(LOG_RANGE_BLOCKS) - 1n;
    const query: LogQuery = {
      address: asset,
      topics: [TOPICS, pad(payer as Hex), nonce as Hex],
      fromBlock: numberToHex(from),
      toBlock: numberToHex(last < head ? last : head),
    };
    const logs = await clients.logClient.request({ method: "eth_getLogs", params: [query] });
    const log = logs.find(({ removed }) => !removed);
    if (log) return log;
    from = last + 1n;
  }
  return undefined;
}

async function evidenceOf(clients: Clients, log: RpcLog, authorization: Authorization): Promise<Evidence> {
  const [event] = parseEventLogs({ abi: ABI, logs: [log] });
  if (!event || !log.transactionHash) return { state: "unknown", reason: "a log that cannot be read" };
  if (event.eventName === "AuthorizationCanceled") return { state: "lost", reason: "the authorization was canceled" };
  const receipt = await getTransactionReceipt(clients.client, { hash: log.transactionHash });
  if (receipt.status !== "success") return { state: "unknown", reason: "its transaction did not succeed" };
  const paid = isPaidBy(receipt, Number(log.logIndex), authorization);
  if (paid) return { state: "paid", transaction: log.transactionHash };
  return { state: "lost", reason: "the authorization was used for another payment" };
}

function isSameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/**
 * USDC writes the Transfer of an authorization right after its AuthorizationUsed. Another Transfer in the same
 * transaction may belong to another authorization, and two authorizations must not count the same one.
 */
function isPaidBy(
  { logs }: TransactionReceipt,
  usedIndex: number,
  { asset, payer, payTo, amount }: Authorization,
): boolean {
  const next = logs.filter(({ address, logIndex }) => isSameAddress(address, asset) && logIndex === usedIndex + 1);
  const [transfer] = parseEventLogs({ abi: ABI, logs: next, eventName: "Transfer" });
  if (!transfer) return false;
  const { from, to, value } = transfer.args;
  return isSameAddress(from, payer) && isSameAddress(to, payTo) && value === BigInt(amount);
}
