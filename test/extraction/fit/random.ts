// Random choices that are the same in each run.

export type Random = {
  /** 0 to below 1. */
  next(): number;
  /** From 0 to below `count`. */
  below(count: number): number;
  pick<T>(all: readonly T[]): T;
  chance(share: number): boolean;
  /** So many decimal digits; the first may be 0. */
  digits(count: number): string;
  shuffled<T>(all: readonly T[]): T[];
};

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    pick: (all) => all[below(all.length)] as (typeof all)[number],
    chance: (share) => next() < share,
    digits: (count) => Array.from({ length: count }, () => below(10)).join(""),
    shuffled: (all) => {
      const left = [...all];
      return all.map(() => left.splice(below(left.length), 1)[0] as (typeof all)[number]);
    },
  };
}
