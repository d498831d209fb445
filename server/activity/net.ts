// What is left of many changes: for each thing, the state that an undo returns it to, and the state that the key left.
import { isDeepStrictEqual } from "node:util";
import type { Change, Values } from "#db/activity-parts.ts";
import type { Transaction } from "#db/client.ts";
import type { Caller, Ctx } from "../base/context.ts";
import type { NewEvent } from "../events/record.ts";

/** `was` null: it did not exist; `is` null: the key deleted it. Both have only the fields that the key changed, unless it was deleted. */
export type Net = Omit<Change, "before" | "after" | "final"> & {
  was: Values | null;
  is: Values | null;
  final: string | null;
};

/** The reasons why things were not taken back, by their ids. */
export type Reasons = Map<string, string>;

/**
 * Takes back what a key did with things of one kind, in statements for all of them. `isDry`: it only reads. It names the organization of the
 * caller in each statement, since a row of the activity may come from an import. Its events are added to `events`, which the caller
 * records last.
 */
export type TakeBack = (
  ctx: Ctx<Caller>,
  tx: Transaction,
  nets: Net[],
  isDry: boolean,
  events: NewEvent[],
) => Promise<Reasons>;

export const CHANGED_SINCE = "Another caller changed it since.";
export const GONE_SINCE = "It no longer exists.";

/** @param changes the oldest first */
export function netOf(changes: Change[]): Net[] {
  const nets = new Map<string, Net>();
  for (const change of changes) {
    const key = `${change.kind} ${change.id}`;
    nets.set(key, joined(nets.get(key), change));
  }
  return [...nets.values()];
}

function joined(net: Net | undefined, { before, after, final, ...change }: Change): Net {
  if (!net) return { ...change, was: before, is: after, final: final ?? null };
  const both = { ...net, final: final ?? net.final };
  if (before === null) return { ...both, is: after };
  if (net.was === null) {
    // What another caller made of a thing of the key returns as that caller left it.
    if (after === null && net.is !== null && !isAsLeft(net, before)) {
      return { ...both, ...(change.kept !== undefined && { kept: change.kept }), was: before, is: null };
    }
    return { ...both, is: after && { ...net.is, ...after } };
  }
  // Where another caller changed a field between two changes of the key, it returns to what that caller left.
  const isOwn = (name: string) => !(name in before) || isDeepStrictEqual(net.is?.[name], before[name]);
  const earlier = Object.fromEntries(Object.entries(net.was).filter(([name]) => isOwn(name)));
  const kept = Object.keys(net.was).every(isOwn) ? (net.kept ?? change.kept) : change.kept;
  return {
    ...both,
    ...(kept !== undefined && { kept }),
    was: { ...before, ...earlier },
    is: after && { ...net.is, ...after },
  };
}

/** What to set of a thing that exists, and why not all of it. */
export function settingBack({ was, is }: Net, current: Values): { set: Values; reason?: string } {
  const names = Object.keys(was ?? {}).filter((name) => !isDeepStrictEqual(current[name], was?.[name]));
  const own = names.filter((name) => isDeepStrictEqual(current[name], is?.[name]));
  const set = Object.fromEntries(own.map((name) => [name, was?.[name]]));
  return own.length < names.length ? { set, reason: CHANGED_SINCE } : { set };
}

/** Whether a thing is as the key left it. */
export function isAsLeft({ is }: Net, current: Values): boolean {
  return Object.entries(is ?? {}).every(([name, value]) => isDeepStrictEqual(current[name], value));
}

/** A row as JSON has it. */
export function asJson(row: object): Values {
  return JSON.parse(JSON.stringify(row));
}
