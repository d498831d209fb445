// Reads a table of written mails.
import type { Mail } from "./mail.ts";

/** @param table a line `=== name|from|subject|code` before each body, `-` for no code */
export function readWritten(table: string): Mail[] {
  return table
    .split(/^=== /m)
    .slice(1)
    .map((block) => {
      const end = block.indexOf("\n");
      const [name = "", from = "", subject = "", otp = ""] = block.slice(0, end).split("|");
      const body = block.slice(end + 1).trimEnd();
      const otpOrNone = otp === "-" ? null : otp;
      const parts = body.startsWith("<") ? { html: body } : { text: body };
      return { name: `written, ${name}`, from, subject, ...parts, otp: otpOrNone, link: null };
    });
}
