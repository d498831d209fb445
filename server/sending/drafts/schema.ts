// What the draft endpoints take and give on the wire.
import { z } from "zod";
import {
  addr,
  deleted,
  givenId,
  id,
  inboxAddress,
  line,
  moment,
  page,
  pageInput,
  strictInt,
} from "../../base/fields.ts";
import { sendInput } from "../../messages/schema.ts";
import { replyInput } from "../schema.ts";

const REVISION_MAX = 2_147_483_647;
const SUBJECT_CHARS = 998;
const REPLY_TO_CHARS = 400;

const { cc, text, html, attachments, list_unsubscribe, labels, send_at, reply_by } = sendInput.shape;
const { reply_all, expected_last_message_id } = replyInput.shape;
const revisionText = "Number of the last change, from 1.";
const draftId = givenId("drf", "Id of the draft.");
const revision = strictInt(1, REVISION_MAX).meta({ description: "The revision that you read last.", example: 1 });

const recipients = z.union([...cc.unwrap().options, z.literal("")]);

/** The fields of a message, none of which a draft needs. */
const content = {
  to: recipients.meta({ description: "Recipients." }).optional(),
  cc: recipients.meta({ description: "Carbon-copy recipients." }).optional(),
  bcc: recipients.meta({ description: "Blind-copy recipients." }).optional(),
  subject: line(SUBJECT_CHARS).optional().meta({ description: "Subject line.", example: "Your invoice" }),
  text,
  html,
  reply_to: line(REPLY_TO_CHARS).optional().meta({ description: "Reply-to address.", example: "friend@shop.example" }),
  list_unsubscribe,
  attachments: attachments.unwrap().meta({ description: "Files to attach. Replaces all files." }).optional(),
  in_reply_to: givenId(
    "msg",
    "The message that this one answers. Recipients and subject come from it unless they are given.",
  ).optional(),
  reply_all: reply_all
    .unwrap()
    .optional()
    .meta({ description: "Answers everyone in To and Cc, if `to` is not given." }),
  expected_last_message_id,
  labels: labels.unwrap().meta({ description: "Labels. The message gets them when it is sent." }).optional(),
};

export const createDraftInput = z.object({
  inbox: addr.meta({ description: "The mailbox that is to send it, by address or id." }),
  ...content,
});
export const updateDraftInput = z.object({ id: draftId, revision, ...content });
export type DraftInput = z.infer<z.ZodObject<typeof content>>;
export const draftIdInput = z.object({ id: draftId });
export const draftFileInput = draftIdInput.extend({ attachment_id: givenId("att", "Id of the file.") });
export const sendDraftInput = z.object({
  id: draftId,
  revision,
  labels: labels
    .unwrap()
    .meta({ description: "Labels beside those of the draft.", example: ["codes"] })
    .optional(),
  send_at,
  reply_by,
});
export const listDraftsInput = z.object({
  inbox: addr.meta({ description: "Returns only drafts of this mailbox, by address or id." }).optional(),
  ...pageInput,
});

const common = {
  id: id("drf", "Id of the draft."),
  revision: z.int().meta({ description: revisionText, example: 1 }),
  inbox: inboxAddress,
  to: z.array(z.string()).meta({ description: "Recipients.", example: ["friend@shop.example"] }),
  recipients: z.array(z.string()).meta({
    description: "To and Cc as it would be sent now. A reply without `to` has those of the reply.",
    example: ["friend@shop.example"],
  }),
  subject: z.string().nullable().meta({ description: "Subject line. Null: not given.", example: "Your invoice" }),
  in_reply_to: z.string().nullable().meta({ description: "The message that it answers. Null: none.", example: null }),
  labels: z.array(z.string()).meta({ description: "Labels that the message gets.", example: ["codes"] }),
  created_at: moment("When it was created."),
  updated_at: moment("When it was last changed."),
};
const summary = z
  .object({ ...common, attachment_count: z.int().meta({ description: "Number of attachments.", example: 0 }) })
  .meta({ id: "DraftSummary" });
const file = z
  .object({
    id: id("att", "Id of the file. It changes when the files are replaced."),
    filename: z.string().nullable().meta({ description: "File name.", example: "invoice.pdf" }),
    content_type: z.string().meta({ description: "Media type.", example: "application/pdf" }),
    size: z.int().meta({ description: "Size in bytes.", example: 1_024 }),
  })
  .meta({ id: "DraftAttachment" });

export const draft = z
  .object({
    ...common,
    cc: z.array(z.string()).meta({ description: "Carbon-copy recipients." }),
    bcc: z.array(z.string()).meta({ description: "Blind-copy recipients." }),
    text: z.string().nullable().meta({ description: "Plain-text body. Null: not given.", example: "Hello" }),
    html: z.string().nullable().meta({ description: "HTML body. Null: not given.", example: null }),
    reply_to: z.string().nullable().meta({ description: "Reply-to address. Null: not given.", example: null }),
    list_unsubscribe: z.boolean().meta({ description: "Whether it gets an unsubscribe link.", example: false }),
    reply_all: z.boolean().meta({ description: "Whether it answers everyone.", example: false }),
    expected_last_message_id: z
      .string()
      .nullable()
      .meta({ description: "The message that must be the newest of the thread. Null: any may be.", example: null }),
    attachments: z.array(file).meta({ description: "Attachments." }),
  })
  .meta({ id: "Draft" });

export const listDraftsOutput = page("DraftPage", summary);
export const removeDraftOutput = deleted("drf");
