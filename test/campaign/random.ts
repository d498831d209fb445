// Numbers that a seed determines: the same seed and name give the same sequence.
import { createHash } from "node:crypto";

export type Random = {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number, both bounds included. */
  between(min: number, max: number): number;
  pick<Item>(items: readonly Item[]): Item;
};

const RANGE = 2 ** 32;

/** A number from 0 up to 1 for each text. */
export function fractionOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE() / RANGE;
}

export function randomOf(seed: number, name: string): Random {
  let drawn = 0;
  const next = () => fractionOf(`${seed} ${name} ${drawn++}`);
  return {
    next,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error("nothing to pick from");
      return item;
    },
  };
}
