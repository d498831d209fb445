// Formats drafts for the API.
import { encodeId } from "../../base/ids.ts";
import type { DraftRow } from "./find.ts";

function commonView({ id, revision, inbox, fields, created_at, updated_at }: DraftRow) {
  const { to, subject, in_reply_to } = fields;
  const times = { created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
  return { id: encodeId("drf", id), revision, inbox, to, subject, in_reply_to, ...times };
}

export function draftSummaryView(row: DraftRow) {
  return { ...commonView(row), attachment_count: row.attachments.length };
}

export function draftView(row: DraftRow) {
  return {
    ...commonView(row),
    ...row.fields,
    attachments: row.attachments.map(({ filename, content_type, size }) => ({ filename, content_type, size })),
  };
}
