// Limits how much of something is in use at the same time: by all holders together, and by each of them.

/** The limit that is reached: of all holders together, or of one. */
export type Full = "total" | "each";

/** What one holder took for one purpose. */
export type Share = {
  /** Takes an amount, 1 if none is given. @returns the limit that is reached, in which case nothing was taken */
  take(amount?: number): Full | undefined;
  /** Gives back all of it. Later calls do nothing. */
  release(): void;
};

export type Limiter = {
  /** Opens an empty share. Without a holder, only the limit of all applies. */
  open(holder?: string): Share;
  /** The amount in use: of all holders together, and of one. */
  readonly used: number;
  usedBy(holder: string): number;
};

/** @param limits amounts; one that is missing is no limit */
export function createLimiter({ total = Number.POSITIVE_INFINITY, each = Number.POSITIVE_INFINITY }): Limiter {
  const counts = createCounts();
  let used = 0;
  return {
    open(holder) {
      let mine = 0;
      const add = (amount: number) => {
        used += amount;
        mine += amount;
        if (holder !== undefined) counts.add(holder, amount);
      };
      return {
        take(amount = 1) {
          if (holder !== undefined && counts.of(holder) + amount > each) return "each";
          if (used + amount > total) return "total";
          add(amount);
        },
        release: () => add(-mine),
      };
    },
    get used() {
      return used;
    },
    usedBy: counts.of,
  };
}

export type Counts = {
  of(key: string): number;
  add(key: string, amount: number): void;
};

/** Counts by key, without the keys whose count is 0. */
export function createCounts(): Counts {
  const counts = new Map<string, number>();
  const of = (key: string) => counts.get(key) ?? 0;
  return {
    of,
    add(key, amount) {
      const count = of(key) + amount;
      if (count > 0) counts.set(key, count);
      else counts.delete(key);
    },
  };
}
