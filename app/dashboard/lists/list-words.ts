// The words for the lists.
export type Named = { direction: "send" | "receive"; list: "allow" | "block" | "trusted"; inbox?: string };

type Words = { name: string; effect: string };

/** Each list by `direction:list`. */
export const LISTS: Record<string, Words> = {
  "send:block": { name: "Blocked recipient", effect: "Sends to it are refused." },
  "send:allow": {
    name: "Allowed recipient",
    effect: "While this list has entries, sends to all other addresses are refused.",
  },
  "receive:block": { name: "Blocked sender", effect: "Mail from it is refused and not stored." },
  "receive:allow": {
    name: "Allowed sender",
    effect: "While this list has entries, mail of all other senders is refused. A sender must pass DMARC to match.",
  },
  "receive:trusted": {
    name: "Trusted sender",
    effect: "Its mail is never quarantined, if it passes DMARC.",
  },
};

export function wordsOf({ direction, list }: Pick<Named, "direction" | "list">): Words {
  return LISTS[`${direction}:${list}`] ?? { name: list, effect: "" };
}
