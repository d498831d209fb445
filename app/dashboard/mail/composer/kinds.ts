// What can be written: a new message, a reply, a forward, or a draft that the service has.
import type { Outputs } from "../../trpc.ts";

type Stored = Outputs["drafts"]["get"];

/** The message to write: `place` names its draft in this tab. */
export type Writing =
  | { kind: "new"; place: string; inbox: string }
  | {
      kind: "reply";
      place: string;
      inbox: string;
      id: string;
      to: string[];
      others: string[];
      last: string;
      all: boolean;
      quote: string;
    }
  | { kind: "forward"; place: string; inbox: string; id: string }
  | { kind: "draft"; place: string; inbox: string; stored: Stored };

export type ComposerProps = {
  writing: Writing;
  /** The thread's newest known message. */
  last?: string;
  /** Files that were dropped beside the form, to attach. */
  dropped?: File[] | undefined;
  onSent: (threadId: string) => void;
  onClose: () => void;
  /** For a stored draft: opens it again as it is now. */
  onReopen?: () => void;
  /** Opens the form again, after the Undo of Discard. */
  onUndo?: () => void;
};

/** The recipient of a reply to mail of the inbox to itself: the service leaves the inbox out of the recipients that it computes. */
export function itselfOf(writing: Writing): string[] | undefined {
  return writing.kind === "reply" && writing.to.includes(writing.inbox) ? writing.to : undefined;
}
