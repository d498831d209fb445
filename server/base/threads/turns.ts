// A queue in which organizations take turns, and in which each organization may have only a share of the running work.

export type Turns<Item> = {
  add(organizationId: string, item: Item): void;
  /**
   * Takes the next item that `fits`; its organization goes to the end of the queue. Call `done` when the work has
   * ended.
   */
  next(fits?: (item: Item) => boolean): Item | undefined;
  done(organizationId: string): void;
  /** Takes all waiting items. */
  drain(): Item[];
};

/** @param share items that one organization may have running at the same time */
export function createTurns<Item>(share: number): Turns<Item> {
  /** Organizations, in the order of their turns. */
  const waiting = new Map<string, Item[]>();
  const underWay = new Map<string, number>();

  function count(organizationId: string, items: number): void {
    const sum = (underWay.get(organizationId) ?? 0) + items;
    if (sum > 0) underWay.set(organizationId, sum);
    else underWay.delete(organizationId);
  }

  return {
    add(organizationId, item) {
      const items = waiting.get(organizationId);
      if (items) items.push(item);
      else waiting.set(organizationId, [item]);
    },
    next(fits = () => true) {
      for (const [organizationId, items] of waiting) {
        const [item] = items;
        if ((underWay.get(organizationId) ?? 0) >= share || item === undefined || !fits(item)) continue;
        items.shift();
        waiting.delete(organizationId);
        if (items.length > 0) waiting.set(organizationId, items);
        count(organizationId, 1);
        return item;
      }
    },
    done: (organizationId) => count(organizationId, -1),
    drain() {
      const all = [...waiting.values()].flat();
      waiting.clear();
      return all;
    },
  };
}
