// What the message endpoints take and give on the wire.
import { z } from "zod";
import { MAIL_KINDS, SPAM_POLICIES } from "#db/message-parts.ts";
import {
  addr,
  deleted,
  exampleId,
  givenId,
  givenTime,
  id,
  line,
  page,
  pageInput,
  prose,
  strictBoolean,
  timeFault,
} from "../base/fields.ts";
import { isTime } from "../base/id-range.ts";
import { decodeId } from "../base/ids.ts";
import { HEADER_VALUE_CHARS, HEADERS_MAX, HEADERS_MAX_BYTES, headerFaults } from "../base/mail-headers.ts";
import { MEDIA_TYPE } from "../base/media-type.ts";
import { readQuery } from "../extraction/search.ts";
import { LABELS_MAX, pieceInput, STATUSES, summary } from "./message-schema.ts";
import { labelFault, readOperators } from "./search-operators.ts";

/** In to, cc and bcc together. */
export const RECIPIENTS_MAX = 50;
export const TOO_MANY_RECIPIENTS = `at most ${RECIPIENTS_MAX} recipients in all`;
const ADDRESS_CHARS = 400;
/** A comma list of recipients. */
const LIST_CHARS = RECIPIENTS_MAX * ADDRESS_CHARS;
const SUBJECT_CHARS = 998;
const BODY_CHARS = 10_485_760;
const ATTACHMENTS_MAX = 100;
const MESSAGE_ID_CHARS = 1_000;
const IDEMPOTENCY_KEY_CHARS = 256;
const LABEL_CHARS = 100;
const NAME_CHARS = 100;
const QUERY_CHARS = 500;
const FILTER_CHARS = 320;
/** A send's whole JSON body, attachments in base64 included. */
export const MAX_SEND_BYTES = 26_214_400;

/** Safe in a header and in a `cid:` URL. */
const CONTENT_ID = /^[\w.+@-]{1,200}$/;

const recipient = line(ADDRESS_CHARS).min(1).meta({ example: "friend@shop.example" });
const recipientList = line(LIST_CHARS, ({ input }) => {
  return typeof input === "object" && input !== null ? "must be text such as `Name <a@b.example>`" : undefined;
})
  .min(1)
  .meta({ example: "friend@shop.example" });
/** A recipient, a comma list, or an array of these. */
const recipients = z.union([recipientList, z.array(recipientList).max(RECIPIENTS_MAX, TOO_MANY_RECIPIENTS)]);
const messageId = givenId("msg", "Id of the message.");

const idempotencyKey = line(IDEMPOTENCY_KEY_CHARS).min(1);

/** Where the content of an attachment comes from: exactly one of these. */
const SOURCES = ["content_base64", "upload_id", "url", "attachment_id"] as const;

const NO_ATTACHMENT =
  "must be an object with one of `content_base64`, `upload_id`, `url`, or `message_id` with `attachment_id`";
const attachmentInput = z
  .object(
    {
      filename: line(255).min(1).optional().meta({
        description: "File name that recipients see. Needed with `content_base64`.",
        example: "invoice.pdf",
      }),
      content_type: z
        .string()
        .max(255)
        .regex(MEDIA_TYPE, "a media type such as application/pdf or text/calendar; method=REQUEST; charset=utf-8")
        .optional()
        .meta({
          description:
            "Media type, with parameters if needed. Default: that of the file. Mail programs show `text/calendar` with a `method` parameter as an invitation or an answer to one.",
          example: "application/pdf",
        }),
      content_base64: z.base64().optional().meta({
        description: "Content in base64 (RFC 4648 §4).",
        example: "JVBERi0xLjcK",
        maxLength: MAX_SEND_BYTES,
      }),
      upload_id: z.string().max(100).optional().meta({ description: "Id of an upload." }),
      url: z.string().max(2_048).optional().meta({
        description: "A public https URL of the file. The service fetches it before it answers.",
      }),
      message_id: z.string().max(100).optional().meta({ description: "Id of the message that has it." }),
      attachment_id: z.string().max(100).optional().meta({ description: "Id of an attachment." }),
      content_id: z
        .string()
        .regex(CONTENT_ID, "1 to 200 letters, digits and . _ - + @")
        .optional()
        .meta({ description: "Shows the file where the HTML has `cid:` and this id.", example: "logo" }),
    },
    { error: ({ code }) => (code === "invalid_type" ? NO_ATTACHMENT : undefined) },
  )
  .superRefine((given, { addIssue }) => {
    const named = SOURCES.filter((name) => given[name] !== undefined);
    const each = "`content_base64`, `upload_id`, `url`, or `message_id` with `attachment_id`";
    if (named.length !== 1) addIssue(`must have exactly one of ${each}`);
    else if ((given.message_id === undefined) !== (given.attachment_id === undefined))
      addIssue("`message_id` and `attachment_id` are needed together");
    else if (given.content_base64 !== undefined && given.filename === undefined)
      addIssue({ code: "custom", path: ["filename"], message: "is missing; it takes text" });
  })
  .meta({ id: "AttachmentInput" });

/** One label, as callers write it. */
export const label = line(LABEL_CHARS).trim().min(1);
const labels = z.array(label).max(LABELS_MAX);

const ownHeaders = z
  .record(z.string(), line(HEADER_VALUE_CHARS).trim().min(1))
  .superRefine((headers, { addIssue }) => {
    for (const { name, message } of headerFaults(headers))
      addIssue({ code: "custom", path: name === undefined ? [] : [name], message });
  })
  .meta({
    description: `Headers to add: \`X-…\`, \`List-…\`, Auto-Submitted, Precedence, Importance, Priority, Organization, Keywords, Comments, Feedback-ID, Sensitivity, Content-Language. At most ${HEADERS_MAX}, together ${HEADERS_MAX_BYTES} bytes.`,
    example: { "X-Order": "1042" },
    maxProperties: HEADERS_MAX,
  });

export const sendInput = z.object({
  addr,
  to: z.union([recipientList, z.array(recipientList).min(1).max(RECIPIENTS_MAX, TOO_MANY_RECIPIENTS)]).meta({
    description: `Recipients: \`a@b.example\`, \`Name <a@b.example>\`, several separated by commas, or an array. A name with a comma needs double quotes. \`to\`, \`cc\` and \`bcc\` together take at most ${RECIPIENTS_MAX}.`,
    example: "friend@shop.example",
  }),
  subject: line(SUBJECT_CHARS).default("").meta({ description: "Subject line.", example: "Your invoice" }),
  text: prose(BODY_CHARS).optional().meta({
    description: "Plain-text body. A message needs `text`, `html` or both.",
    example: "Hello, the invoice is attached.",
  }),
  html: prose(BODY_CHARS).optional().meta({ description: "HTML body." }),
  cc: recipients.default([]).meta({ description: "Carbon-copy recipients, in the forms of `to`." }),
  bcc: recipients.default([]).meta({ description: "Blind-copy recipients, in the forms of `to`." }),
  reply_to: z
    .union([recipient, z.array(recipient).min(1).max(RECIPIENTS_MAX)])
    .optional()
    .meta({ description: "Reply-to address, or an array of several." }),
  from_name: line(NAME_CHARS).min(1).optional().meta({
    description: "Sender name. Default: that of the mailbox.",
  }),
  in_reply_to: line(MESSAGE_ID_CHARS)
    .min(1)
    .optional()
    .meta({
      description:
        "The message of this mailbox that this one answers, with recipients of your own: it joins the thread. Also a Message-ID, `<id@host>`; one that the mailbox does not have is only sent as a header.",
      example: exampleId("msg"),
    }),
  list_unsubscribe: strictBoolean().optional().meta({
    description:
      "Adds one-click unsubscribe headers (RFC 8058). The message must have exactly one recipient. After a click, this mailbox can no longer send to the recipient.",
  }),
  headers: ownHeaders.optional(),
  attachments: z
    .array(attachmentInput)
    .max(ATTACHMENTS_MAX)
    .default([])
    .meta({ description: "Files to attach, each from one source." }),
  labels: labels.optional().meta({
    description: "Labels. Recipients do not see them.",
    example: ["codes"],
  }),
  send_at: givenTime().optional().meta({
    description:
      "When to send it, at most 30 days ahead. Default: now. Until then its status is `scheduled`, and POST /v1/messages/{id}/cancel cancels it. The daily cap is counted when it leaves; if it does not fit, it waits for the next day, for up to 7 days.",
    example: "2026-11-21T09:30:00Z",
  }),
  reply_by: givenTime().optional().meta({
    description:
      "When a reply is expected, at most 90 days ahead. If no person has replied in the thread by then, the event `message.unanswered` says so. Deleting or cancelling the message ends it.",
    example: "2026-11-24T09:30:00Z",
  }),
  idempotency_key: idempotencyKey.optional().meta({
    description:
      "Idempotency key in the mailbox, as the header `Idempotency-Key`: the same key and content return the same message.",
    example: "invoice-1042",
  }),
});
export type SendInput = z.infer<typeof sendInput>;

export const sendOutput = z
  .object({
    id: id("msg", "Id of the message."),
    status: z.enum(["queued", "scheduled", "held"]).meta({
      description:
        "`queued`: the message waits for transmission. `scheduled`: it waits for `send_at`. `held`: it waits until a member of the organization approves or rejects it under Approvals in the dashboard; GET /v1/messages/{id} shows the decision.",
    }),
    thread_id: id("thr", "Id of its thread."),
    next: z.string().optional().meta({
      description: "Only of a `held` message: who decides, and how you learn the decision.",
    }),
  })
  .meta({ id: "QueuedMessage" });

const NO_STATUS = new Map([
  ["unread", "is no status; use `unread=true`"],
  ["read", "is no status; use `unread=false`"],
  ["deleted", "is no status; GET /v1/trash lists deleted mail"],
  ["trash", "is no status; GET /v1/trash lists deleted mail"],
  ["draft", "is no status; GET /v1/drafts lists drafts"],
  ["spam", "is no status; use `quarantined=true`"],
]);
/** A time, or a message in its place. */
const place = z
  .string()
  .max(100)
  .refine((text) => isTime(text) || decodeId("msg", text) !== undefined, {
    error: ({ input }) => `${timeFault(String(input))}, or the id of a message`,
  });

/** What becomes of mail with the verdict `spam`. */
export const spamPolicy = z.enum(SPAM_POLICIES);

/** For lists and threads. */
export const includeSpam = z.boolean().meta({ description: "`true` also returns quarantined messages." }).optional();

// Descriptions stand before `optional()`: the document of query parameters has only what is inside.
const filters = {
  direction: z
    .enum(["inbound", "outbound"])
    .meta({ description: "Returns only messages of this direction." })
    .optional(),
  from: line(FILTER_CHARS)
    .min(1)
    .meta({
      description:
        "Returns only messages from this sender: a whole address, a domain with its subdomains (`example.com`), or a part of the address or name. Ignores case.",
    })
    .optional(),
  to: line(FILTER_CHARS)
    .min(1)
    .meta({
      description:
        "Returns only messages to this recipient (to, cc, bcc or `delivered_to`): a whole address, or a part of it. Ignores case.",
    })
    .optional(),
  kind: z
    .enum(MAIL_KINDS)
    .meta({ description: "Returns only inbound messages of this kind.", example: "person" })
    .optional(),
  subject: line(SUBJECT_CHARS)
    .min(1)
    .meta({ description: "Returns only messages whose subject contains this text, ignoring case." })
    .optional(),
  unread: z.boolean().meta({ description: "`true` returns only unread messages, `false` only read ones." }).optional(),
  has_attachments: z
    .boolean()
    .meta({ description: "`true` returns only messages with attachments, `false` only those without." })
    .optional(),
  status: z
    .enum(STATUSES, { error: ({ input }) => NO_STATUS.get(String(input)) })
    .meta({ description: "Returns only messages with this status.", example: "held" })
    .optional(),
  after: place
    .meta({ description: "Returns only messages after this time (ISO 8601 with `Z` or an offset) or this message id." })
    .optional(),
  before: place.meta({ description: "Returns only messages before this time or this message id." }).optional(),
  thread_id: z
    .string()
    .max(100)
    .refine((text) => decodeId("thr", text) !== undefined, "not a thread id")
    .meta({ description: "Returns only messages of this thread.", example: exampleId("thr") })
    .optional(),
  label: label
    .superRefine((name, { addIssue }) => {
      const fault = labelFault(name);
      if (fault) addIssue(fault);
    })
    .meta({ description: "Returns only messages with this exact label." })
    .optional(),
  without_label: label.meta({ description: "Returns only messages without this exact label." }).optional(),
  include_spam: includeSpam,
  quarantined: z.boolean().meta({ description: "`true` returns only quarantined messages." }).optional(),
  risky: z.boolean().meta({ description: "`true` returns only messages with a `warning`." }).optional(),
  q: line(QUERY_CHARS)
    .superRefine((text, { addIssue }) => {
      const read = readOperators(text);
      const isEmpty =
        typeof read !== "string" && Object.keys(read.filters).length === 0 && readQuery(read.words) === undefined;
      if (typeof read === "string") addIssue(read);
      else if (isEmpty) addIssue("must name a word to look for");
    })
    .meta({
      description:
        'Full-text search in sender, recipients, subject and body: every word must occur. `"a phrase"` matches a phrase, `or` separates alternatives, `-` excludes a word. A word of at least 4 letters also matches longer words that begin with it, unless it is quoted or excluded. Ignores case and accents; in Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese it matches any part of a text. `from:`, `to:`, `subject:`, `label:`, `is:unread`, `is:read`, `has:attachment`, `in:inbox`, `in:sent`, `after:2026-11-20` and `before:2026-11-20` are filters; `-label:`, `-is:` and `-has:` exclude. Quote a value with blanks. The body is searchable after the message is parsed.',
    })
    .optional(),
};

const listInput = z.object(pageInput);
export type PageInput = z.infer<typeof listInput>;
const filtersInput = z.object(filters);
export type Filters = z.infer<typeof filtersInput>;

export const listMessagesInput = z.object({ addr, ...pageInput, ...filters });
export const searchMessagesInput = z.object({
  inbox: addr.meta({ description: "Returns only messages of this mailbox, by address or id." }).optional(),
  ...pageInput,
  ...filters,
});

export const listMessagesOutput = page("MessagePage", summary);
export const messageIdInput = z.object({ id: messageId });
/** For deletions: `true` erases immediately. */
export const permanent = z
  .boolean()
  .meta({ description: "`true` erases it immediately. Needs the scope `mailbox:purge`." })
  .optional();
export const removeMessageInput = messageIdInput.extend({ permanent });
export const getMessageInput = messageIdInput.extend(pieceInput);

/** Labels by which Gmail moves and marks mail, and the calls that do so here. */
const SYSTEM_LABELS: Record<string, { added: string; removed: string }> = {
  TRASH: {
    added: "DELETE /v1/messages/{id} moves to the trash",
    removed: "POST /v1/messages/{id}/restore brings back from the trash",
  },
  SPAM: {
    added: "DELETE /v1/messages/{id} moves to the trash",
    removed: "POST /v1/messages/{id}/not-spam takes out of quarantine",
  },
  INBOX: {
    added: "received mail is in the mailbox without it",
    removed: "to put mail aside, add a label of your own",
  },
  UNREAD: { added: "`read: false` marks as unread", removed: "`read: true` marks as read" },
};

const marking = (change: "added" | "removed") =>
  labels.superRefine((given, { addIssue }) => {
    for (const [at, name] of given.entries()) {
      const calls = Object.hasOwn(SYSTEM_LABELS, name) ? SYSTEM_LABELS[name] : undefined;
      if (calls)
        addIssue({ code: "custom", path: [at], message: `${name} has no effect as a label; ${calls[change]}` });
    }
  });

const marks = {
  read: strictBoolean().optional().meta({ description: "Marks the message as read or unread.", example: true }),
  labels: marking("added")
    .optional()
    .meta({
      description: `Replaces all labels, at most ${LABELS_MAX}. Duplicates are stored once.`,
      example: ["codes"],
    }),
  add_labels: marking("added")
    .optional()
    .meta({ description: "Labels to add.", example: ["codes"] }),
  remove_labels: marking("removed")
    .optional()
    .meta({ description: "Labels to remove.", example: ["codes"] }),
};
export const updateMessageInput = z.object({
  id: messageId,
  ...marks,
  // Null does not equal leaving it out: the message would still leave.
  send_at: givenTime().nullable().optional().meta({
    description:
      "The new time of a message that is `scheduled` or `held` with a time, at most 30 days ahead. Null is refused: POST /v1/messages/{id}/cancel cancels the message.",
    example: "2026-11-21T09:30:00Z",
  }),
});
export const removeMessageOutput = deleted("msg");

/** Messages or threads that one call acts on. */
export const CHOSEN_MAX = 100;
export const chosenMessagesInput = z.object({ ids: z.array(messageId).min(1).max(CHOSEN_MAX) });
export const updateMessagesInput = z.object({
  ids: z
    .array(messageId)
    .min(1)
    .max(CHOSEN_MAX)
    .meta({ description: `Ids of the messages, at most ${CHOSEN_MAX}.`, example: [exampleId("msg")] }),
  ...marks,
});
export const updateMessagesOutput = z
  .object({
    updated: z.array(id("msg", "Id of a message.")).meta({ description: "The messages that have the marks now." }),
    missing: z.array(z.string()).meta({
      description: "The other ids: the messages do not exist, or the key may not read them.",
      example: [],
    }),
  })
  .meta({ id: "UpdatedMessages" });
export const chosenMessagesOutput = z.object({ messages: z.int() });
export const previewsOutput = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      snippet: z.string(),
      /** The handle of the agent that sent it, or whose mailbox received it. Null: a member sent it. */
      agent: z.string().nullable(),
      otp: z.string().nullable(),
      link: z.string().nullable(),
      link_host_matches_sender: z.boolean().nullable(),
    }),
  ),
});
