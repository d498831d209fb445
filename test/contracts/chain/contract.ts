// What every Chain says of an authorization, whichever chain it is: one suite, run by the tests beside it.
import { afterAll, describe, expect, test } from "vitest";
import type { Authorization, Chain } from "#server/base/ports/chain.ts";

/** A signed authorization, and what may be done with it. */
type Hand = {
  authorization: Authorization;
  pay(): Promise<void>;
  cancel(): Promise<void>;
  /** Uses its nonce for a payment to another. */
  spendElsewhere(): Promise<void>;
};
export type Rig = {
  chain: Chain;
  /** The same on a node that cannot be reached. */
  deaf: Chain;
  /** Time of the newest block, in Unix seconds. */
  now(): Promise<number>;
  sign(): Promise<Hand>;
  close(): Promise<void>;
};

export function chainContract(name: string, start: () => Promise<Rig>): void {
  describe(`${name} as a Chain`, async () => {
    const rig = await start();
    afterAll(rig.close);
    const { chain } = rig;

    /** Signed, and the block at which it was seen to be unused. */
    async function seen() {
      const hand = await rig.sign();
      const head = await chain.nonceAtHead(hand.authorization);
      expect(head).toEqual({ block: expect.any(Number), used: false });
      const block = "block" in head ? head.block : 0;
      return { ...hand, block, look: () => chain.look(hand.authorization, block) };
    }

    test("an unused authorization is unused at the time of the newest block", async () => {
      const { look } = await seen();
      expect(await look()).toEqual({ state: "unused", time: await rig.now() });
    });

    test("what was paid is paid, by a transaction", async () => {
      const { pay, look, authorization } = await seen();
      await pay();
      expect(await look()).toEqual({ state: "paid", transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
      expect(await chain.nonceAtHead(authorization)).toMatchObject({ used: true });
    });

    test("what was canceled is lost, though its nonce is used", async () => {
      const { cancel, look, authorization } = await seen();
      await cancel();
      expect(await look()).toEqual({ state: "lost", reason: expect.any(String) });
      expect(await chain.nonceAtHead(authorization)).toMatchObject({ used: true });
    });

    test("what paid another is lost", async () => {
      const { spendElsewhere, look } = await seen();
      await spendElsewhere();
      expect(await look()).toMatchObject({ state: "lost" });
    });

    test("what was used before the block to look from is unknown, never unused", async () => {
      const { pay, authorization } = await seen();
      await pay();
      await (await seen()).pay();
      const later = await chain.nonceAtHead(authorization);
      expect(await chain.look(authorization, "block" in later ? later.block : 0)).toMatchObject({ state: "unknown" });
    });

    test("a node that does not answer knows nothing", async () => {
      const { authorization, pay } = await seen();
      await pay();
      expect(await rig.deaf.nonceAtHead(authorization)).toEqual({ reason: expect.stringMatching(/./) });
      expect(await rig.deaf.look(authorization, 0)).toMatchObject({ state: "unknown" });
    });
  });
}
