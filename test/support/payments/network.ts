// A payment network for one test file: a chain with a dollar on it, a facilitator that can fail, and accounts with money.
import type { PaymentRequirements } from "@x402/core/types";
import {
  type Chain,
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  type LocalAccount,
  walletActions,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { baseSepolia } from "viem/chains";
import { startAnvil } from "./anvil.ts";
import { type Decoy, startFacilitator } from "./facilitator.ts";
import { facilitatorSigner } from "./facilitator-signer.ts";
import { switchboard } from "./faults.ts";
import { openSender, type Send } from "./sender.ts";
import { ASSET, CHAIN_ID, NETWORK, placeContracts, tokenAbi } from "./token.ts";

/** 0.10 of a dollar, in its millionths. */
export const PRICE = 100_000n;
const BALANCE = 1_000_000_000n;
const GAS_MONEY_WEI = 10n ** 20n;
const POLL_MS = 20;

type Transfer = { from: Hex; to: Hex; value: bigint; transaction: Hex };
export type TestNetwork = Awaited<ReturnType<typeof startTestNetwork>>;

const newAccount = () => privateKeyToAccount(generatePrivateKey());

function openChain(url: string) {
  const chain = { chain: baseSepolia as Chain, transport: http(url), pollingInterval: POLL_MS, cacheTime: 0 };
  const reader = createPublicClient(chain);
  const anvil = createTestClient({ ...chain, mode: "anvil" }).extend(walletActions);
  return {
    reader,
    anvil,
    /** An account that can pay for gas. */
    async newSender(): Promise<{ address: Hex; send: Send }> {
      const account = newAccount();
      await anvil.setBalance({ address: account.address, value: GAS_MONEY_WEI });
      return { address: account.address, send: openSender(reader, createWalletClient({ ...chain, account })) };
    },
  };
}

/** Transfers the test dollar, by an account that is not part of a payment; the call returns when it is mined. */
async function openToken({ anvil, reader, newSender }: ReturnType<typeof openChain>) {
  const helper = await newSender();
  const token = { address: ASSET, abi: tokenAbi } as const;
  const mined = async (sent: Promise<Hex>) => reader.waitForTransactionReceipt({ hash: await sent });
  /** Sends any call of the dollar, as anyone could: a payment past the service, a cancellation. */
  const send = (data: Hex) => mined(helper.send(ASSET, data));
  return {
    send,
    mint: (to: Hex, value: bigint) =>
      send(encodeFunctionData({ abi: tokenAbi, functionName: "mint", args: [to, value] })),
    balanceOf: (address: Hex) => reader.readContract({ ...token, functionName: "balanceOf", args: [address] }),
    /** Takes money from an account, without its signature. */
    async spend({ address }: LocalAccount, value: bigint): Promise<void> {
      await anvil.impersonateAccount({ address });
      await anvil.setBalance({ address, value: GAS_MONEY_WEI });
      await mined(
        anvil.writeContract({ ...token, functionName: "transfer", args: [helper.address, value], account: address }),
      );
    },
    /** All that ever moved from one account to another, in order. */
    async transfers(): Promise<Transfer[]> {
      const logs = await reader.getContractEvents({ ...token, eventName: "Transfer", fromBlock: 0n, strict: true });
      return logs
        .map(({ args, transactionHash }) => ({ ...args, transaction: transactionHash }))
        .filter(({ from }) => BigInt(from) !== 0n); // else it was minted
    },
  };
}

/** Tokens that the facilitator gives away so that a lie can name a real transaction. */
function decoys(send: Send, elsewhere: Hex): Decoy {
  return (kind, { payTo, ...requirements }) => {
    // The amount is named otherwise in the first version of the protocol.
    const { amount, maxAmountRequired } = requirements as Partial<PaymentRequirements & { maxAmountRequired: string }>;
    const asked = BigInt(amount ?? maxAmountRequired ?? 0);
    const args = kind === "lie_payee" ? ([elsewhere, asked] as const) : ([getAddress(payTo), 1n] as const);
    return send(ASSET, encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args }));
  };
}

/** Some hundred milliseconds; `settings` is what the service needs in its environment to be paid on it. */
export async function startTestNetwork() {
  const process = await startAnvil(CHAIN_ID);
  const chain = openChain(process.url);
  const { anvil, reader } = chain;
  await placeContracts(anvil);
  const token = await openToken(chain);
  const payTo = newAccount().address;
  const { address, send } = await chain.newSender();
  await token.mint(address, BALANCE);
  const switches = switchboard();
  const signer = facilitatorSigner(address, reader, send);
  const facilitator = await startFacilitator({ ...switches, signer, decoy: decoys(send, newAccount().address) });

  return {
    settings: {
      PAYMENTS_ENABLED: "true",
      PAYMENTS_NETWORK: NETWORK,
      PAYMENTS_FACILITATOR_URL: facilitator.url,
      PAYMENTS_RPC_URL: process.url,
      PAYMENTS_PAY_TO: payTo,
      PAYMENTS_PRICE_PER_MAILBOX: `${PRICE}`,
    } as Record<string, string>,
    rpcUrl: process.url,
    facilitatorUrl: facilitator.url,
    payTo,
    /** What goes wrong from now on. */
    faults: switches.faults,
    /** How often the facilitator was asked, refused or not. */
    calls: switches.calls,
    at: switches.at,
    ...token,
    /** An account with 1,000 dollars, or as many millionths as said. */
    async newPayer(balance = BALANCE): Promise<LocalAccount> {
      const account = newAccount();
      await token.mint(account.address, balance);
      return account;
    },
    /** What was paid to the service. */
    payments: async () => (await token.transfers()).filter(({ from, to }) => to === payTo && from !== address),
    /** `pause`: the chain does not answer until `resume`. */
    pause: process.pause,
    resume: process.resume,
    /** `false`: what is sent stays in the pool until `mine`. */
    automine: (on: boolean) => anvil.setAutomine(on),
    mine: (blocks = 1) => anvil.mine({ blocks }),
    now: async () => (await reader.getBlock()).timestamp,
    /** Mines one block at that time, in seconds, which must be ahead; those after follow it. */
    async setTime(timestamp: bigint): Promise<void> {
      await anvil.setNextBlockTimestamp({ timestamp });
      await anvil.mine({ blocks: 1 });
    },
    async stop(): Promise<void> {
      await facilitator.stop();
      await process.stop();
    },
  };
}
