// Counts who a mail says it is from: more than one is what lets two programs see two different senders.
import { addressParser } from "postal-mime";

/**
 * `lines` as `readHeaders(raw).lines` gives them. Anything but one field with one mailbox has no one author that DMARC
 * could be judged on (RFC 5322 §3.6, RFC 7489 §6.6.1).
 */
export function countFroms(lines: [string, string][]): { fields: number; mailboxes: number } {
  const values = lines.filter(([name]) => name.toLowerCase() === "from").map(([, value]) => value);
  const entries = values.flatMap((value) => addressParser(value, { flatten: true }));
  // A name of its own that reads as an address: some program shows it as one.
  const mailboxes = entries.filter(({ address, name }) => address || name.includes("@"));
  return { fields: values.length, mailboxes: mailboxes.length };
}
