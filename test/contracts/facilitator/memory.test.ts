// The facilitator of the tests: the contract.
import { randomBytes } from "node:crypto";
import { memoryLedger } from "#test/payments/ledger.ts";
import { type Failure, facilitatorContract } from "./contract.ts";

const hex = (bytes: number) => `0x${randomBytes(bytes).toString("hex")}`;

facilitatorContract("memory", async () => {
  const ledger = memoryLedger();
  const unknown = (reason: string) => () => ({ outcome: "unknown" as const, reason });
  const failures: Record<Failure, typeof ledger.scripts.settle> = {
    away: unknown("no answer"),
    nonsense: unknown("an answer that does not say"),
    rejects: undefined,
    pending: unknown("settlement_pending"),
    broken: unknown("no answer"),
    "rejects after": (pay) => {
      pay();
      return { outcome: "rejected", reason: "insufficient_funds" };
    },
  };
  return {
    facilitator: ledger.ports.facilitator,
    async request(version, can) {
      const payer = hex(20);
      ledger.setBalance(payer, can ? 10n ** 9n : 0n);
      const authorization = { from: payer, to: hex(20), value: "100000", nonce: hex(32) };
      const paymentPayload = { payload: { authorization } };
      return { x402Version: version, paymentPayload, paymentRequirements: { asset: hex(20) } };
    },
    fail: (how) => {
      ledger.scripts.settle = how && failures[how];
    },
    close: async () => {},
  };
});
