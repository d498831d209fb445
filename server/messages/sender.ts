// Reads how a caller names a sender in the filters of lists and waits: an address, a domain, or a part.
import { readAddress, readDomain } from "../base/addresses.ts";

/** All in lower case, domains in ASCII. */
export type Sender = { address: string } | { domain: string } | { part: string };

/** A domain has a dot, and may have an `@` before it. It stands for its subdomains too. Any other text is a part of an address or name. */
export function readSender(text: string): Sender {
  const address = readAddress(text)?.address.toLowerCase();
  if (address) return { address };
  const domain = text.includes(".") ? readDomain(text.replace(/^@/, "")) : undefined;
  return domain ? { domain } : { part: text.toLowerCase() };
}
