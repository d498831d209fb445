// A mail that takes more CPU time to read than a mail has.

/** UTF-7 whose every character is shifted is the slowest charset. */
const BODY = `${"+AOQ-".repeat(150)}\r\n`.repeat(26_000);

/** @param headers lines, each with its end */
export const slowMail = (headers: string): string => `${headers}Content-Type: text/plain; charset=utf-7\r\n\r\n${BODY}`;
