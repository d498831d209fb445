// A year beside the words of a one-time code: not a code, unless the mail says that it is.
import { describe, expect, test } from "vitest";
import { extract } from "#server/extraction/extract.ts";

const codeIn = (text: string) => extract({ from: "noreply@shop.example", subject: "Hello", text, html: null }).otp;

describe("no code", () => {
  test.each([
    "Your verification code will arrive separately.\n\n2026 Example Inc.",
    "Your verification code will arrive separately.\n\n© 2026 Example Inc.",
    "We never ask for your verification code.\nExample Inc., founded 1987.",
    "Your verification code was asked for in May 2026 from a new device.",
    "The verification code of 2025 no longer works.",
    "Enter your verification code before the end of 2026 to keep the account.",
    "Your security code rules change in 2027. Nothing to do.",
  ])("%j", (text) => expect(codeIn(text)).toBeNull());
});

describe("a code that looks like a year", () => {
  test.each([
    ["Your verification code is 2026", "2026"],
    ["Your verification code: 1987", "1987"],
    ["Your verification code is:\n\n2026\n\nIt expires in 10 minutes.", "2026"],
    ["Your verification code is 482913.\n\n2026 Example Inc.", "482913"],
  ])("%j is %s", (text, code) => expect(codeIn(text)).toBe(code));
});
