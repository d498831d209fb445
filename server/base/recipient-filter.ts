// Reads how a caller names a recipient in the filters of waits and webhooks, as lists do.
import { readAddress } from "./addresses.ts";

/**
 * Whether one of the addresses is this whole address, or contains this text, ignoring case. For mail that came in, the recipient used
 * over SMTP belongs to the addresses: mail to many people names nobody, and an address with a tag may be in no header.
 */
export function recipientFilter(text: string): (addresses: readonly (string | null)[]) => boolean {
  const whole = readAddress(text)?.address.toLowerCase();
  const part = text.toLowerCase();
  return (addresses) =>
    addresses.some((address) => {
      const given = address?.toLowerCase() ?? "";
      return whole ? given === whole : given.includes(part);
    });
}
