// What the endpoints of the activity of keys take and return on the wire.
import { z } from "zod";
import { CHANGE_KINDS } from "#db/activity-parts.ts";
import { givenId, id, moment, page, pageInput, strictBoolean } from "../base/fields.ts";
import { isTime } from "../base/id-range.ts";

const keyId = givenId("akey", "Id of the key.");
export const activityInput = z.object({ id: keyId, ...pageInput });

const kind = z.enum(CHANGE_KINDS).meta({ description: "Kind of what changed." });
const thing = z
  .string()
  .nullable()
  .meta({ description: "Its id. Null: it has none.", example: "msg_01jd3m9v5sf0b8j3mgz7qk2x4c" });
const values = (description: string) =>
  z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description, example: { labels: ["open"] } });
const verb = z.string().meta({ description: "Name of the procedure.", example: "messages.updateMany" });
const reason = z
  .string()
  .meta({ description: "Why it was not taken back.", example: "It left: its status is `sent`." });
const notUndone = { kind, id: thing, reason };

const entry = z
  .object({
    id: id("act", "Id of the entry."),
    verb,
    request_id: z
      .string()
      .meta({ description: "`X-Request-Id` of the call.", example: "req_0193a5b8-1c2d-7e3f-8a4b-5c6d7e8f9a0b" }),
    inbox: z
      .string()
      .nullable()
      .meta({ description: "Address of the mailbox. Null: none, or several.", example: null }),
    changes: z
      .array(
        z.object({
          kind,
          id: thing,
          name: z
            .string()
            .nullable()
            .meta({ description: "Its subject, address, URL or entry, if it has one.", example: "Invoice" }),
          thread_id: z
            .string()
            .nullable()
            .meta({ description: "Thread of a message. Null: it has none.", example: null }),
          before: values("What it was. Null: it did not exist."),
          after: values("What it is. Null: it was deleted."),
          final: z
            .string()
            .nullable()
            .meta({ description: "Why no undo takes it back. Null: one does.", example: null }),
        }),
      )
      .meta({ description: "The first 20 changes.", maxItems: 20 }),
    change_count: z.int().meta({ description: "How many changes there are.", example: 1 }),
    created_at: moment("When it happened."),
    undone_at: moment().nullable().meta({ description: "When an undo processed it. Null: none did.", example: null }),
    not_undone: z.array(z.object(notUndone)).meta({ description: "What the undo did not take back.", maxItems: 20 }),
  })
  .meta({ id: "KeyActivity" });
export const activityOutput = page("KeyActivityPage", entry);

export const undoInput = z.object({
  id: keyId,
  since: z.string().max(40).refine(isTime, "a time such as 2027-01-31T12:00:00Z").meta({
    description: "The changes since this time are taken back.",
    example: "2026-11-20T09:00:00Z",
  }),
  dry_run: strictBoolean().default(false).meta({ description: "Only says what an undo does. The key stays." }),
});

export const undoOutput = z
  .object({
    id: id("akey", "Id of the key."),
    dry_run: z.boolean().meta({ description: "Whether nothing was changed.", example: false }),
    revoked: z.boolean().meta({ description: "Whether the key is revoked.", example: true }),
    operations: z
      .array(z.object({ verb, count: z.int().meta({ description: "How many calls.", example: 3 }) }))
      .meta({ description: "What the keys did since then.", maxItems: 100 }),
    not_undone: z
      .array(
        z.object({
          activity_id: id("act", "The entry of the activity."),
          verb,
          ...notUndone,
          created_at: moment("When it happened."),
        }),
      )
      .meta({ description: "The first 1,000 things that are not taken back, newest first.", maxItems: 1_000 }),
    not_undone_count: z.int().meta({ description: "How many there are.", example: 0 }),
    more: z.boolean().meta({ description: "Whether a dry run left older operations out.", example: false }),
  })
  .meta({ id: "KeyUndo" });
