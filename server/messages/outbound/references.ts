// Builds In-Reply-To and References of a reply (RFC 5322 §3.6.4), limited in length for long threads.
import { isMessageId } from "../../base/addresses.ts";
import type { Answered } from "./answered.ts";

/** Of a longer list, the first and so many of the last are kept: mail programs use the root or the nearest ones. */
const LAST_IDS = 20;
const IDS_CHARS = 4_000;

/** The parent's References; without them its In-Reply-To, if that is one id. */
function parentReferences({ message, headers }: Answered): string[] {
  if (message.references.length > 0 || message.in_reply_to === null) return message.references;
  const written = headers.find(([name]) => name.toLowerCase() === "in-reply-to")?.[1] ?? "";
  return written.split("<").length > 2 ? [] : [message.in_reply_to];
}

/** @returns ids without angle brackets, oldest first; ids that a header cannot hold are dropped */
export function threadIds(answered: Answered): { inReplyTo: string | null; references: string[] } {
  const own = answered.message.rfc_message_id;
  const parent = own !== null && isMessageId(own) ? own : null;
  const earlier = parentReferences(answered).filter((id) => id !== parent && isMessageId(id));
  const ids = [...new Set(earlier), ...(parent === null ? [] : [parent])];
  const kept = ids.length > LAST_IDS + 1 ? [...ids.slice(0, 1), ...ids.slice(-LAST_IDS)] : ids;
  let chars = kept.reduce((sum, id) => sum + id.length, 0);
  while (chars > IDS_CHARS && kept.length > 1) {
    // Drops the root second to last, and the parent's id never.
    const [dropped] = kept.splice(kept.length > 2 ? 1 : 0, 1);
    chars -= dropped?.length ?? 0;
  }
  return { inReplyTo: parent, references: kept };
}
