// Sends transactions of one account, one at a time: it counts the nonces itself, and leaves no gap in them.
import type { Account, Chain, Hex, PublicClient, Transport, WalletClient } from "viem";

const GAS = 300_000n;
const FEE_WEI = 3_000_000_000n;

export type Reader = PublicClient<Transport, Chain>;
export type Wallet = WalletClient<Transport, Chain, Account>;
/** Gives the hash of what was sent, which need not be mined yet. */
export type Send = (to: Hex, data: Hex) => Promise<Hex>;

export function openSender(reader: Reader, wallet: Wallet): Send {
  let turn: Promise<unknown> = Promise.resolve();
  let nonce: number | undefined;

  /** What would revert is refused before it costs a nonce: a gap would hold up everything behind it. */
  async function sendNext(to: Hex, data: Hex): Promise<Hex> {
    await reader.call({ account: wallet.account, to, data });
    nonce ??= await reader.getTransactionCount({ address: wallet.account.address, blockTag: "pending" });
    const fees = { gas: GAS, maxFeePerGas: FEE_WEI, maxPriorityFeePerGas: 1n };
    const hash = await wallet.sendTransaction({ to, data, nonce, ...fees, type: "eip1559" });
    nonce += 1;
    return hash;
  }

  return (to, data) => {
    const sent = turn.then(() => sendNext(to, data));
    turn = sent.catch(() => {}); // the caller got the error; the next one has its turn
    return sent;
  };
}
