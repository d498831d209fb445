// A queue in which groups take turns, and the members of each group too. Each of them may have only a share of the
// running work.
import { createCounts } from "./limiter.ts";

/** The most that a group, and one of its members, may have running at the same time. */
export type Share = { group: number; member?: number };

export type FairQueue<Item> = {
  /** A group or member that had nothing waiting gets the last turn. */
  add(group: string, item: Item, member?: string): void;
  /** @returns whether the item was waiting */
  remove(group: string, item: Item, member?: string): boolean;
  /**
   * Takes the next item that `fits`; its group and member get the last turn. Where there are shares, call `done` when
   * the work has ended.
   */
  next(fits?: (item: Item) => boolean): Item | undefined;
  done(group: string, member?: string): void;
  /** The waiting items, which stay. */
  all(): Item[];
  /** Takes all waiting items. */
  drain(): Item[];
  /** The number of waiting items. */
  readonly size: number;
  /** The number of groups with waiting items. */
  readonly groups: number;
  waitingOf(group: string, member?: string): number;
};

/** The name of the only member of a group that has no others. */
const ALONE = "";

/** Waiting items by group and member, both in the order of their turns. */
type Waiting<Item> = Map<string, Map<string, Set<Item>>>;

/** @param shareOf the share of a group now; without it there are no limits, and nothing is counted */
export function createFairQueue<Item>(shareOf?: (group: string) => Share): FairQueue<Item> {
  const waiting: Waiting<Item> = new Map();
  const running = createCounts();
  let size = 0;

  function remove(group: string, item: Item, member = ALONE): boolean {
    const members = waiting.get(group);
    const items = members?.get(member);
    if (!items?.delete(item)) return false;
    size -= 1;
    if (items.size === 0) members?.delete(member);
    if (members?.size === 0) waiting.delete(group);
    return true;
  }

  function take(group: string, member: string, item: Item): Item {
    remove(group, item, member);
    moveToEnd(waiting.get(group), member);
    moveToEnd(waiting, group);
    if (shareOf) count(group, member, 1);
    return item;
  }

  function count(group: string, member: string, items: 1 | -1): void {
    running.add(group, items);
    running.add(ofMember(group, member), items);
  }

  const all = () => [...waiting.values()].flatMap((members) => [...members.values()].flatMap((items) => [...items]));

  return {
    add(group, item, member = ALONE) {
      const members = waiting.get(group) ?? new Map<string, Set<Item>>();
      const items = members.get(member) ?? new Set();
      size += items.has(item) ? 0 : 1;
      waiting.set(group, members.set(member, items.add(item)));
    },
    remove,
    next(fits = () => true) {
      for (const [group, members] of waiting) {
        const share = shareOf?.(group);
        if (share && running.of(group) >= share.group) continue;
        for (const [member, [item]] of members) {
          if (share?.member !== undefined && running.of(ofMember(group, member)) >= share.member) continue;
          if (item !== undefined && fits(item)) return take(group, member, item);
        }
      }
    },
    done: (group, member = ALONE) => count(group, member, -1),
    all,
    drain() {
      const items = all();
      waiting.clear();
      size = 0;
      return items;
    },
    get size() {
      return size;
    },
    get groups() {
      return waiting.size;
    },
    waitingOf(group, member) {
      const members = waiting.get(group);
      if (member !== undefined) return members?.get(member)?.size ?? 0;
      return [...(members?.values() ?? [])].reduce((sum, items) => sum + items.size, 0);
    },
  };
}

function ofMember(group: string, member: string): string {
  return `${group}\0${member}`;
}

function moveToEnd<Value>(map: Map<string, Value> | undefined, key: string): void {
  const value = map?.get(key);
  if (!map || value === undefined || map.size === 1) return;
  map.delete(key);
  map.set(key, value);
}
