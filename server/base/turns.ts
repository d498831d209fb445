// A queue in which organizations take turns, and in which one organization can have only a share of the work under way.

export type Turns<Item> = {
  add(organizationId: string, item: Item): void;
  /** Takes the first item in turn that `fits`; its organization goes to the end of the line. Call `done` when it has ended. */
  next(fits?: (item: Item) => boolean): Item | undefined;
  done(organizationId: string): void;
  /** Takes everything that waits. */
  drain(): Item[];
};

/** @param share items that one organization can have under way at once */
export function createTurns<Item>(share: number): Turns<Item> {
  /** In the order of turns. */
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
