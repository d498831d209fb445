// Counts the authors of a mail. With more than one, mail programs may show different senders.
import { addressParser } from "postal-mime";

/**
 * `lines` as `readHeaders(raw).lines` returns them. DMARC needs one author: one field with one mailbox (RFC 5322 §3.6,
 * RFC 7489 §6.6.1).
 */
export function countFroms(lines: [string, string][]): { fields: number; mailboxes: number } {
  const values = lines.filter(([name]) => name.toLowerCase() === "from").map(([, value]) => value);
  const entries = values.flatMap((value) => addressParser(value, { flatten: true }));
  // A display name that looks like an address: some programs show it as one.
  const mailboxes = entries.filter(({ address, name }) => address || name.includes("@"));
  return { fields: values.length, mailboxes: mailboxes.length };
}
