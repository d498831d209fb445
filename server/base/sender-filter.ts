// Reads how a caller names a sender in the filters of lists, waits and webhooks: an address, a domain, or a part.
import { readAddress, readDomain } from "./addresses.ts";
import { invalidField } from "./errors.ts";

/** All in lower case, domains in ASCII. */
export type Sender = { address: string } | { domain: string } | { part: string };

/** A domain has a dot, and may have an `@` before it. It stands for its subdomains too. Any other text is a part of an address or name. */
export function readSender(text: string): Sender {
  const address = readAddress(text)?.address.toLowerCase();
  if (address) return { address };
  const domain = text.includes(".") ? readDomain(text.replace(/^@/, "")) : undefined;
  return domain ? { domain } : { part: text.toLowerCase() };
}

/** What an address can contain. */
const PART = /^(?!@$)[^\s@]*@?[^\s@]*$/;

/**
 * Whether an address, in any case, is of the sender.
 * @param field that a refusal names
 * @throws ServiceError `invalid_request` for a part that no address contains
 */
export function senderFilter(from: string, field = "from"): (address: string) => boolean {
  const sender = readSender(from);
  if ("part" in sender && !PART.test(sender.part)) {
    throw invalidField(
      field,
      "an address such as no-reply@example.com, a domain such as example.com, or a part of an address",
    );
  }
  return (given) => {
    const address = given.toLowerCase();
    if ("address" in sender) return address === sender.address;
    if ("part" in sender) return address.includes(sender.part);
    return address.endsWith(`@${sender.domain}`) || address.endsWith(`.${sender.domain}`);
  };
}
