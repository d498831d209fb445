// What every Facilitator makes of its other side's answers: one suite, run by the tests beside it.
import { afterAll, describe, expect, test } from "vitest";
import type { Facilitator, PaymentRequest } from "#server/base/ports/facilitator.ts";

/** How the other side fails at settling. `broken` and `rejects after` still move the money. */
export type Failure = "away" | "nonsense" | "rejects" | "pending" | "broken" | "rejects after";

export type Rig = {
  facilitator: Facilitator;
  /** A payment of a payer who can pay, or cannot. */
  request(version: 1 | 2, can: boolean): Promise<PaymentRequest>;
  fail(how: Failure | undefined): void;
  close(): Promise<void>;
};

export function facilitatorContract(name: string, start: () => Promise<Rig>): void {
  describe(`${name} as a Facilitator`, async () => {
    const rig = await start();
    afterAll(rig.close);
    const { facilitator } = rig;

    test("says which networks it settles on", async () => {
      expect(await facilitator.supports(["eip155:84532", "base-sepolia"])).toBe(true);
      expect(await facilitator.supports(["eip155:1"])).toBe(false);
    });

    test.each([1, 2] as const)("verifies, and settles, in version %d", async (version) => {
      const request = await rig.request(version, true);
      expect(await facilitator.verify(request)).toEqual({ outcome: "valid" });
      expect(await facilitator.settle(request)).toEqual({ outcome: "settled" });
    });

    test("a payer without the money is not valid", async () => {
      const request = await rig.request(1, false);
      expect(await facilitator.verify(request)).toEqual({
        outcome: "invalid",
        reason: expect.stringMatching(/funds|balance/),
      });
    });

    test("a payment that was settled before is unknown to be settled now, never rejected", async () => {
      const request = await rig.request(1, true);
      await facilitator.settle(request);
      expect(await facilitator.settle(request)).toMatchObject({ outcome: "unknown" });
    });

    test.each([
      ["away", "unknown"],
      ["nonsense", "unknown"],
      ["pending", "unknown"],
      ["broken", "unknown"],
      ["rejects", "rejected"],
      ["rejects after", "rejected"],
    ] as const)("%s: %s, with a reason that is a word or two", async (failure, outcome) => {
      const request = await rig.request(2, failure !== "rejects");
      rig.fail(failure);
      try {
        const settled = await facilitator.settle(request);
        expect(settled).toEqual({ outcome, reason: expect.stringMatching(/^[\w .:()-]{1,100}$/) });
      } finally {
        rig.fail(undefined);
      }
    });
  });
}
