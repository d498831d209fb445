// Text as the API takes it: zod schemas for the kinds of string that must not break a header, a log line or a column.
import { z } from "zod";

/** One line: no control characters at all. */
export const line = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must not hold control characters or lone surrogates");

/** Several lines: what PostgreSQL can store and a mail can carry. */
export const prose = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\0\p{Cs}]*$/u, "must not hold NUL or lone surrogates");

/** A time on the wire: ISO 8601 UTC with milliseconds. */
export const moment = () => z.iso.datetime({ precision: 3 }).meta({ example: "2026-11-20T09:30:00.000Z" });
