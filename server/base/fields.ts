// Zod schemas of fields that several endpoints share: text that is safe in headers and columns, times, addresses,
// pages.
import { z } from "zod";

const ADDRESS_CHARS = 320;
const PAGE_DEFAULT = 50;
const PAGE_MAX = 100;

/** One line, without control characters. */
export const line = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must not hold control characters or lone surrogates");

/** Several lines, with only characters that PostgreSQL can store and mail can transport. */
export const prose = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\0\p{Cs}]*$/u, "must not hold NUL or lone surrogates");

/** A number in a body. The union keeps trpc-to-openapi from coercing text to a number (ARCHITECTURE.md). */
export const strictInt = (min: number, max: number) =>
  z
    .union([z.int().min(min).max(max)])
    .meta({ override: { anyOf: undefined, type: "integer", minimum: min, maximum: max } });

/** A boolean in a body, in a union for the same reason. */
export const strictBoolean = () => z.literal([true, false]);

/** A time in the API: ISO 8601 UTC with milliseconds. */
export const moment = () => z.iso.datetime({ precision: 3 }).meta({ example: "2026-11-20T09:30:00.000Z" });

export const addr = z
  .string()
  .max(ADDRESS_CHARS)
  .meta({ description: "The mailbox address, URL-encoded (`@` as `%40`), or the inbox id." });
export const pageInput = {
  limit: z.int().min(1).max(PAGE_MAX).default(PAGE_DEFAULT),
  cursor: z.string().meta({ description: "`next_cursor` of the page before." }).optional(),
};
export const addrInput = z.object({ addr });
