// A chain and a facilitator in memory, for tests of what the service makes of them; held to test/contracts/{chain,facilitator}.
import { randomBytes } from "node:crypto";
import type { Authorization, Chain, Evidence } from "#server/base/ports/chain.ts";
import type { Facilitator, PaymentRequest, SettleOutcome, VerifyOutcome } from "#server/base/ports/facilitator.ts";

type Signed = { payload: { authorization: { from: string; to: string; value: string; nonce: string } } };
type Used = { block: number; evidence: Evidence };
type Moved = { payer: string; payTo: string; amount: string };

/** `start`: the time of the chain, in Unix seconds. */
export function memoryLedger(start = Math.floor(Date.now() / 1000)) {
  const used = new Map<string, Used>();
  const balances = new Map<string, bigint>();
  const moved: Moved[] = [];
  const calls = { verify: 0, settle: 0 };
  const state = { time: start, block: 1, down: false, hidden: false };
  const scripts: {
    verify?: (() => VerifyOutcome | Promise<VerifyOutcome>) | undefined;
    settle?: ((pay: () => void) => SettleOutcome | Promise<SettleOutcome>) | undefined;
  } = {};
  const keyOf = ({ payer, nonce }: { payer: string; nonce: string }) => `${payer} ${nonce}`.toLowerCase();
  const transaction = () => `0x${randomBytes(32).toString("hex")}`;

  function use(key: { payer: string; nonce: string }, evidence: Evidence): void {
    if (used.has(keyOf(key))) throw new Error("the nonce is used");
    state.block += 1;
    used.set(keyOf(key), { block: state.block, evidence });
  }
  function pay({ payer, nonce, payTo, amount }: Authorization): void {
    const has = balances.get(payer.toLowerCase()) ?? 10n ** 12n;
    if (has < BigInt(amount)) throw new Error("insufficient funds");
    use({ payer, nonce }, { state: "paid", transaction: transaction() });
    balances.set(payer.toLowerCase(), has - BigInt(amount));
    moved.push({ payer, payTo, amount });
  }

  const chain: Chain = {
    async nonceAtHead(key) {
      return state.down ? { reason: "down" } : { block: state.block, used: used.has(keyOf(key)) };
    },
    async look(authorization, fromBlock) {
      if (state.down) return { state: "unknown", reason: "down" };
      const found = state.hidden ? undefined : used.get(keyOf(authorization));
      if (found && found.block < fromBlock) return { state: "unknown", reason: "its log is not found" };
      return found?.evidence ?? { state: "unused", time: state.time };
    },
  };

  function authorizationIn({ paymentPayload, paymentRequirements }: PaymentRequest): Authorization {
    const { from: payer, nonce, to: payTo, value: amount } = (paymentPayload as Signed).payload.authorization;
    return { asset: String(paymentRequirements.asset), payer, nonce, payTo, amount };
  }
  const facilitator: Facilitator = {
    supports: async (names) => names.includes("eip155:84532"),
    async verify(request) {
      calls.verify += 1;
      if (scripts.verify) return scripts.verify();
      const { payer, amount, nonce } = authorizationIn(request);
      if (used.has(keyOf({ payer, nonce }))) return { outcome: "invalid", reason: "nonce_already_used" };
      const poor = (balances.get(payer.toLowerCase()) ?? 10n ** 12n) < BigInt(amount);
      return poor ? { outcome: "invalid", reason: "insufficient_funds" } : { outcome: "valid" };
    },
    async settle(request) {
      calls.settle += 1;
      const authorization = authorizationIn(request);
      if (scripts.settle) return scripts.settle(() => pay(authorization));
      if (used.has(keyOf(authorization))) return { outcome: "unknown", reason: "nonce_already_used" };
      if ((balances.get(authorization.payer.toLowerCase()) ?? 10n ** 12n) < BigInt(authorization.amount)) {
        return { outcome: "rejected", reason: "insufficient_funds" };
      }
      pay(authorization);
      return { outcome: "settled" };
    },
    close: async () => {},
  };

  return {
    ports: { facilitator, chain },
    calls,
    /** What the chain says of itself: `down` answers nothing, `hidden` shows nothing of what was mined. */
    state,
    /** What the facilitator does instead; `pay` moves the money. */
    scripts,
    /** All that moved. */
    moved,
    pay,
    cancel: (key: { payer: string; nonce: string }) => use(key, { state: "lost", reason: "canceled" }),
    spend: (key: { payer: string; nonce: string }) => use(key, { state: "lost", reason: "used for another payment" }),
    setBalance: (payer: string, amount: bigint) => void balances.set(payer.toLowerCase(), amount),
  };
}
