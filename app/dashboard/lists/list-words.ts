// The words for the four lists.
export type Direction = "send" | "receive";
export type List = "allow" | "block";

type Words = { empty: string; explanation: string; effect: string };

export const WORDS: Record<Direction, Record<List, Words>> = {
  send: {
    block: {
      empty: "No blocked recipients",
      explanation: "Sends to a blocked address or domain are refused. Add those that your agents must not write to.",
      effect: "Sends to it are refused.",
    },
    allow: {
      empty: "All recipients are allowed",
      explanation: "With the first entry here, sends to all other addresses are refused.",
      effect: "While this list has entries, sends to all other addresses are refused.",
    },
  },
  receive: {
    block: {
      empty: "No blocked senders",
      explanation: "Mail of a blocked sender is refused with an error, and never stored.",
      effect: "Mail from it is refused and not stored.",
    },
    allow: {
      empty: "All senders are allowed",
      explanation:
        "With the first entry here, mail of all other senders is refused. A sender must pass DMARC to match.",
      effect: "While this list has entries, mail of all other senders is refused. A sender must pass DMARC to match.",
    },
  },
};
