// Decides by allow and block lists whether a mailbox may write to an address, or gets mail from it. No input or output.
import { EVERY_INBOX } from "#db/conditions.ts";
import type { listEntries } from "#db/schema/lists.ts";
import { DOMAIN_CHARS } from "../../base/addresses.ts";
import { entriesOf } from "./entry.ts";

export type Direction = (typeof listEntries.$inferSelect)["direction"];
export type Rule = Pick<
  typeof listEntries.$inferSelect,
  "organization_id" | "inbox_id" | "list" | "entry" | "reason" | "set_by"
>;
export type Mailbox = { id: string; organization_id: string };

/** An allow list that has entries. `by_member`: also of members. */
type Allowing = { organization_id: string; inbox_id: string; by_member: boolean };
/** The entries that may cover the addresses in question, and which lists have allow entries at all. */
export type Rules = { entries: Rule[]; allowing: Allowing[] };
type Named = { blocked: string[]; allowed: string[] };

/** `rule` undefined: an allow list exists, and no entry covers the address. */
export type Refusal = { rule: Rule | undefined; inboxId: string };

/** The lists of a mailbox, then those of its organization. */
function levelsOf({ id, organization_id }: Mailbox, { entries, allowing }: Rules) {
  return [id, EVERY_INBOX].map((inboxId) => {
    const isHere = (each: { organization_id: string; inbox_id: string }) =>
      each.inbox_id === inboxId && each.organization_id === organization_id;
    return { inboxId, entries: entries.filter(isHere), isAllowing: allowing.some(isHere) };
  });
}

/**
 * Refuses what the entries of members alone refuse, whatever agents allow. Then all entries decide, so agents only refuse more.
 * @param named `blocked`: addresses that block entries may name; `allowed`: addresses that allow entries may name
 */
export function refusalOf(mailbox: Mailbox, rules: Rules, named: Named): Refusal | undefined {
  return refusalByMembers(mailbox, rules, named) ?? refusalBy(mailbox, rules, named);
}

export function refusalByMembers(mailbox: Mailbox, { entries, allowing }: Rules, named: Named): Refusal | undefined {
  const theirs = {
    entries: entries.filter(({ set_by }) => set_by === "member"),
    allowing: allowing.filter(({ by_member }) => by_member),
  };
  return refusalBy(mailbox, theirs, named);
}

/**
 * The lists of the mailbox decide before those of the organization. In both, the narrowest entry decides: an address before
 * a domain, a domain before the one above it; and a block entry before an equal allow entry. A level that has an allow
 * list refuses an address that none of its entries covers.
 */
function refusalBy(mailbox: Mailbox, rules: Rules, { blocked, allowed }: Named): Refusal | undefined {
  for (const { inboxId, entries, isAllowing } of levelsOf(mailbox, rules)) {
    const block = narrowest(entries, "block", blocked);
    const allow = narrowest(entries, "allow", allowed);
    if (block && (!allow || block.width <= allow.width)) return { rule: block.rule, inboxId };
    if (allow) return undefined;
    if (isAllowing) return { rule: undefined, inboxId };
  }
  return undefined;
}

/** Whether an entry of the mailbox or its organization allows or trusts the address that the entries were read for. */
export function trusts(mailbox: Mailbox, rules: Rules): boolean {
  return levelsOf(mailbox, rules).some(({ entries }) => entries.some(({ list }) => list !== "block"));
}

/** Widths compare entries of one address: 0 names it exactly, and the shorter the domain, the wider. */
function narrowest(entries: Rule[], list: Rule["list"], addresses: string[]) {
  const found = addresses.flatMap((address) => {
    const covering = entriesOf(address);
    return entries
      .filter((each) => each.list === list && covering.includes(each.entry))
      .map((rule) => ({ rule, width: widthOf(rule.entry) }));
  });
  return found.sort((a, b) => a.width - b.width)[0];
}

function widthOf(entry: string): number {
  return entry.includes("@") ? 0 : 1 + DOMAIN_CHARS - entry.length;
}
