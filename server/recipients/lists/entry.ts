// Reads the entry of a list, and finds which entries cover an address.
import { readAddress, readDomain } from "../../base/addresses.ts";
import { invalidField } from "../../base/errors.ts";

/**
 * @returns an address or a domain, in lower case
 * @throws ServiceError `invalid_request`
 */
export function readEntry(text: string): string {
  const entry =
    text.includes("@") && !text.startsWith("@") ? readAddress(text)?.address : readDomain(text.replace(/^@/, ""));
  if (entry) return entry.toLowerCase();
  throw invalidField("entry", "neither a mail address nor a domain");
}

/**
 * The entries that cover an address or a domain, the narrowest first: the address, the address without its plus tag, its
 * domain, and the domains above it.
 */
export function entriesOf(covered: string): string[] {
  const at = covered.lastIndexOf("@");
  // A dot at the end names the same domain.
  const domain = readDomain(covered.slice(at + 1).replace(/\.$/, ""));
  if (at === 0 || !domain) return [];
  const labels = domain.split(".");
  const domains = labels.map((_, i) => labels.slice(i).join("."));
  if (at === -1) return domains;
  const local = covered.slice(0, at).toLowerCase();
  const plus = local.indexOf("+");
  return [`${local}@${domain}`, ...(plus > 0 ? [`${local.slice(0, plus)}@${domain}`] : []), ...domains];
}
