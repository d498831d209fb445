// The chain of the tests: the contract.
import { randomBytes } from "node:crypto";
import { memoryLedger } from "#test/payments/ledger.ts";
import { chainContract } from "./contract.ts";

const hex = (bytes: number) => `0x${randomBytes(bytes).toString("hex")}`;

chainContract("memory", async () => {
  const ledger = memoryLedger();
  const deaf = memoryLedger();
  deaf.state.down = true;
  return {
    chain: ledger.ports.chain,
    deaf: deaf.ports.chain,
    now: async () => ledger.state.time,
    async sign() {
      const authorization = { asset: hex(20), payer: hex(20), nonce: hex(32), payTo: hex(20), amount: "100000" };
      return {
        authorization,
        pay: async () => ledger.pay(authorization),
        cancel: async () => ledger.cancel(authorization),
        spendElsewhere: async () => ledger.spend(authorization),
      };
    },
    close: async () => {},
  };
});
