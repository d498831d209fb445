// Reads SMTP reply codes and enhanced status codes from the words of mail servers, and what they say about an address.

const SMTP_CODE = /(?:^|[\s;:])([245]\d\d)(?=[\s-]|$)/;
const ENHANCED_CODE = /(?:^|[^\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/;
const TEXT_MAX_CHARS = 500;
/** Classes that blame the message, its size, the sender's policy or a full mailbox, not the address (RFC 3463). */
const NOT_THE_ADDRESS = /^5\.(?:2\.[234]|3\.|6\.|7\.)/;
/** SMTP codes of a full mailbox or an unacceptable message, where no enhanced code is given. */
const NOT_THE_ADDRESS_SMTP = [552, 554];

export type Codes = { smtp_code: number | null; enhanced_code: string | null };

/** Text of another server, made safe for a column and for people. */
export function printable(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, TEXT_MAX_CHARS)
    .toWellFormed()
    .trim();
}

export function readCodes(text: string): Codes {
  const smtp = SMTP_CODE.exec(text)?.[1];
  return { smtp_code: smtp === undefined ? null : Number(smtp), enhanced_code: ENHANCED_CODE.exec(text)?.[1] ?? null };
}

/** Whether a bounce with these codes means that the address will never work, so that it is suppressed. */
export function isAddressAtFault({ smtp_code, enhanced_code }: Codes): boolean {
  if (enhanced_code !== null) return enhanced_code.startsWith("5.") && !NOT_THE_ADDRESS.test(enhanced_code);
  return smtp_code !== null && smtp_code >= 500 && !NOT_THE_ADDRESS_SMTP.includes(smtp_code);
}
