// Fields that several endpoints share, as zod schemas: text that breaks no header or column, ids, times, addresses, pages.
// A description and an example go into the OpenAPI document (server/api/openapi/), which composes its examples from them.
import { z } from "zod";
import type { IdKind } from "./ids.ts";

const ADDRESS_CHARS = 320;
const ID_CHARS = 40;
const CURSOR_CHARS = 1_000;
/** With microseconds and an offset. */
const TIME_CHARS = 40;
const PAGE_DEFAULT = 50;
export const PAGE_MAX = 100;
const EXAMPLE_ID = "01jd3m9v5sf0b8j3mgz7qk2x4c";
const EXAMPLE_TIME = "2026-11-20T09:30:00.000Z";
export const EXAMPLE_ADDRESS = "quiet-otter-4821@mail.localhost";

// Patterns for the document: Python's `re` and RE2 refuse `\p{…}` and lone surrogates, which the checks below look for.
const LINE_PATTERN = "^[^\\x00-\\x1F\\x7F-\\x9F]*$";
const PROSE_PATTERN = "^[^\\x00]*$";

type Fault = (issue: { input: unknown }) => string | undefined;

/** One line, without control characters. @param error why a value is no text, if there is more to say */
export const line = (max: number, error?: Fault) =>
  z
    .string(error && { error })
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must not hold control characters or lone surrogates")
    .meta({ pattern: LINE_PATTERN });

/** Several lines, with only characters that PostgreSQL can store and mail can transport. */
export const prose = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\0\p{Cs}]*$/u, "must not hold NUL or lone surrogates")
    .meta({ pattern: PROSE_PATTERN });

/** A whole number in these bounds. */
export const strictInt = (min: number, max: number) => z.int().min(min).max(max);
/** Seconds that a send waits before its first transmission. */
export const outgoingDelay = strictInt(0, 120);

/** A boolean, by its two values: the error names them. */
export const strictBoolean = () => z.literal([true, false]);

/** A time on the wire: ISO 8601 UTC with milliseconds. */
export const moment = (description?: string, example = EXAMPLE_TIME) =>
  z.iso.datetime({ precision: 3 }).meta({ description, example });

const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/** Why a text is no time that a request may name. */
export function timeFault(text: string): string {
  const fault = WITHOUT_ZONE.test(text) ? "has no time zone" : "is not an ISO 8601 time";
  return `${fault}; write 2026-11-20T09:30:00Z, with \`Z\` or an offset such as +02:00`;
}

/** A time that a request names. */
export const givenTime = () =>
  z.iso
    .datetime({ offset: true, error: ({ input }) => (typeof input === "string" ? timeFault(input) : undefined) })
    .max(TIME_CHARS);

/** The id of a thing, as answers have it. */
export const id = (kind: IdKind, description: string) =>
  z.string().meta({ description, example: exampleId(kind), maxLength: ID_CHARS });

/** The id of a thing that a request names. Unknown ids get a 404, whatever they look like. */
export const givenId = (kind: IdKind, description: string) =>
  z
    .string()
    .max(100)
    .meta({ description, example: exampleId(kind) });

export function exampleId(kind: IdKind): string {
  return `${kind}_${EXAMPLE_ID}`;
}

export const addr = z.string().max(ADDRESS_CHARS).meta({
  description: "The mailbox address, URL-encoded in a path (`@` as `%40`), or the inbox id.",
  example: EXAMPLE_ADDRESS,
});
export const inboxAddress = z.string().meta({ description: "Address of the mailbox.", example: EXAMPLE_ADDRESS });

// Descriptions stand before `optional()` and `default()`: the document of query parameters has only what is inside.
const cursor = z
  .string()
  .meta({ description: "`next_cursor` of the previous page.", maxLength: CURSOR_CHARS })
  .transform((text) => text || undefined);
export const pageInput = {
  limit: z.int().min(1).max(PAGE_MAX).meta({ description: "Items per page." }).default(PAGE_DEFAULT),
  cursor: cursor.optional(),
};
const nextCursor = z.string().nullable().meta({
  description:
    "Pass it as `cursor` to get the next page, also when this page is short or empty. Null: this is the last page.",
  example: null,
});

/** A page of a list, named in the document. */
export const page = <Item extends z.ZodType>(name: string, item: Item) =>
  z
    .object({
      data: z.array(item).meta({ description: "The items of this page.", maxItems: PAGE_MAX }),
      next_cursor: nextCursor,
    })
    .meta({ id: name });

const deletedThing = z
  .object({
    id: z.string().meta({ description: "Id of what was deleted.", maxLength: ID_CHARS }),
    deleted: z.literal(true).meta({ description: "Always true." }),
  })
  .meta({ id: "Deleted" });

/** The answer to the deletion of a thing of that kind. */
export const deleted = (kind: IdKind) => deletedThing.meta({ example: { id: exampleId(kind), deleted: true } });

/** A header of a mail or of an HTTP request. */
export const headerField = z
  .object({
    name: z.string().meta({ description: "Name of the header.", example: "Subject" }),
    value: z.string().meta({ description: "Value of the header.", example: "Your code is 482915" }),
  })
  .meta({ id: "HeaderField" });

export const addrInput = z.object({ addr });
