// The procedures of drafts: create, list, read, change, delete, send.
import type { Caller, Ctx } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { MAX_SEND_BYTES, sendOutput } from "../../messages/schema.ts";
import { queuedView } from "../../messages/view.ts";
import { callerProcedure, downloadOutput, noteReplayed, rest, router } from "../../procedures/procedures.ts";
import { FILE_REFUSALS } from "../files.ts";
import { SEND_REFUSALS } from "../schema.ts";
import { draftFile } from "./attachment.ts";
import { createDraft } from "./create.ts";
import { type DraftRow, findDraft, listDrafts } from "./find.ts";
import { recipientsOf } from "./recipients.ts";
import { removeDraft } from "./remove.ts";
import {
  createDraftInput,
  draft,
  draftFileInput,
  draftIdInput,
  listDraftsInput,
  listDraftsOutput,
  removeDraftOutput,
  sendDraftInput,
  updateDraftInput,
} from "./schema.ts";
import { sendDraft } from "./send.ts";
import { updateDraft } from "./update.ts";

// Formats drafts for the API.
function commonView(draft: DraftRow, recipients: string[]) {
  const { id, revision, inbox, fields, created_at, updated_at } = draft;
  const { to, subject, in_reply_to, labels = [] } = fields;
  const times = { created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
  return { id: encodeId("drf", id), revision, inbox, to, recipients, subject, in_reply_to, labels, ...times };
}

async function summaryViews(ctx: Ctx<Caller>, rows: DraftRow[]) {
  const recipients = await recipientsOf(ctx, rows);
  return rows.map((row) => ({ ...commonView(row, recipients(row)), attachment_count: row.attachments.length }));
}

function fileView({ id, filename, content_type, size }: DraftRow["attachments"][number]) {
  return { id: encodeId("att", id), filename, content_type, size };
}

async function draftView(ctx: Ctx<Caller>, row: DraftRow) {
  const recipients = await recipientsOf(ctx, [row]);
  return {
    ...row.fields,
    ...commonView(row, recipients(row)),
    attachments: row.attachments.map(fileView),
  };
}

const tags = ["drafts"];

export const draftsRouter = router({
  create: callerProcedure("mailbox:draft", "member")
    .meta(
      rest("POST /v1/drafts", "createDraft", {
        tags,
        summary: "Create a draft",
        description:
          "Stores a message that is not sent yet. No field but `inbox` is needed. A draft counts against the storage quota, not against the daily cap. A mailbox has at most 1,000 drafts.",
        successDescription: "The draft.",
        idempotency: "found",
        mcp: "create_draft",
        status: 201,
        maxBodyBytes: MAX_SEND_BYTES,
        errors: [
          "insufficient_scope",
          "inbox_not_found",
          "too_many_drafts",
          ...FILE_REFUSALS,
          "storage_quota_exceeded",
        ],
      }),
    )
    .input(createDraftInput)
    .output(draft)
    .mutation(async ({ ctx, input }) => draftView(ctx, await createDraft(ctx, input))),

  list: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/drafts", "listDrafts", {
        tags,
        summary: "List drafts",
        description:
          "Returns drafts of all mailboxes that the key may read, newest first. Repeat `inbox` with a cursor.",
        successDescription: "A page of drafts.",
        errors: ["insufficient_scope", "inbox_not_found", "invalid_cursor"],
      }),
    )
    .input(listDraftsInput)
    .output(listDraftsOutput)
    .query(async ({ ctx, input }) => {
      const { rows, next_cursor } = await listDrafts(ctx, input);
      return { data: await summaryViews(ctx, rows), next_cursor };
    }),

  get: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/drafts/{id}", "getDraft", {
        tags,
        summary: "Get a draft",
        description: "Returns the whole draft without the bytes of its attachments. A draft that was sent is gone.",
        successDescription: "The draft.",
        errors: ["insufficient_scope", "draft_not_found"],
      }),
    )
    .input(draftIdInput)
    .output(draft)
    .query(async ({ ctx, input }) => draftView(ctx, await findDraft(ctx, input.id))),

  attachment: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/drafts/{id}/attachments/{attachment_id}", "getDraftAttachment", {
        tags,
        summary: "Download a file of a draft",
        description: "Returns the bytes of the file, as the download of an attachment does.",
        successDescription: "The file.",
        produces: "*/*",
        errors: ["insufficient_scope", "draft_not_found", "attachment_not_found", "content_unreadable"],
      }),
    )
    .input(draftFileInput)
    .output(downloadOutput)
    .query(async ({ ctx, input }) => ctx.request.send(await draftFile(ctx, input.id, input.attachment_id))),

  update: callerProcedure("mailbox:draft", "member")
    .meta(
      rest("PATCH /v1/drafts/{id}", "updateDraft", {
        tags,
        summary: "Update a draft",
        description:
          "Changes the given fields and raises the revision. An empty list or an empty text clears a field; null leaves it as it is. If the draft was changed since you read `revision`, nothing is changed.",
        successDescription: "The updated draft.",
        // Editors save every few seconds. That a draft was created, sent or deleted is in the log.
        isAct: () => false,
        maxBodyBytes: MAX_SEND_BYTES,
        errors: ["insufficient_scope", "draft_not_found", "draft_changed", "storage_quota_exceeded", ...FILE_REFUSALS],
      }),
    )
    .input(updateDraftInput)
    .output(draft)
    .mutation(async ({ ctx, input }) => draftView(ctx, await updateDraft(ctx, input))),

  remove: callerProcedure("mailbox:draft", "member")
    .meta(
      rest("DELETE /v1/drafts/{id}", "deleteDraft", {
        tags,
        summary: "Delete a draft",
        description: "Erases the draft and its attachments.",
        successDescription: "The draft is deleted.",
        errors: ["insufficient_scope", "draft_not_found"],
      }),
    )
    .input(draftIdInput)
    .output(removeDraftOutput)
    .mutation(async ({ ctx, input }) => ({
      id: encodeId("drf", await removeDraft(ctx, input.id)),
      deleted: true as const,
    })),

  send: callerProcedure("mailbox:send", "member")
    .meta(
      rest("POST /v1/drafts/{id}/send", "sendDraft", {
        tags,
        summary: "Send a draft",
        description:
          "Queues the draft under the rules of a send, or schedules it with `send_at`. A draft is sent once: within a day, a repeated call returns the same message.",
        successDescription: "The message is stored and queued.",
        idempotency: "found",
        mcp: "send_draft",
        status: 202,
        errors: [
          ...SEND_REFUSALS,
          "content_unreadable",
          "draft_not_found",
          "draft_changed",
          "inbox_not_found",
          "message_not_found",
          "thread_moved_on",
          "reply_refused",
        ],
      }),
    )
    .input(sendDraftInput)
    .output(sendOutput)
    .mutation(async ({ ctx, input }) => queuedView(noteReplayed(ctx, await sendDraft(ctx, input)))),
});
