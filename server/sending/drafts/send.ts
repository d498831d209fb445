// POST /v1/drafts/{id}/send: sends a draft, once however often it is called.
import { eq } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { messages } from "#db/schema/mail.ts";
import { drafts } from "#db/schema/outbox.ts";
import { record, recorderOf } from "../../activity/record.ts";
import { withoutRepeats } from "../../base/addresses.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { invalidField, ServiceError } from "../../base/errors.ts";
import { encodeId } from "../../base/ids.ts";
import { findInbox } from "../../base/tenancy.ts";
import { freeStorage } from "../../inboxes/storage/count.ts";
import { LABELS_MAX } from "../../messages/message-schema.ts";
import { refusalReason } from "../../receiving/automatic.ts";
import { requireOneRecipient } from "../../recipients/suppressions/unsubscribe.ts";
import { type Answered, findAnswered } from "../answered.ts";
import { readRecipients, requireBody, requireFew } from "../content/sendable.ts";
import { continueThread } from "../conversation.ts";
import { readTimes } from "../expected-replies.ts";
import type { Outgoing, Queued } from "../outgoing.ts";
import { type Prepared, queueOnce } from "../queue.ts";
import { replyNames, replyRecipients } from "../recipients.ts";
import { answeredStatus } from "../repeated.ts";
import { replySubject } from "../subject.ts";
import { NOTHING, readDraftFiles, writeFiles } from "./content.ts";
import { type DraftRow, findSentOrDraft, noDraft, requireRevision } from "./find.ts";
import { lockDraft } from "./update.ts";
import { insertVersion } from "./versions.ts";

type Input = {
  id: string;
  revision: number;
  labels?: string[] | undefined;
  send_at?: string | undefined;
  reply_by?: string | undefined;
};

/**
 * @returns the message; that of the first call if the draft was sent already
 * @throws ServiceError `draft_not_found`, `draft_changed`, `invalid_request` if something is missing, and those of a send
 */
export async function sendDraft(ctx: Ctx<Caller>, input: Input): Promise<Queued> {
  const draft = await findSentOrDraft(ctx, input.id);
  if (draft.sent_message_id !== null) return sentBefore(ctx, draft.sent_message_id);
  requireRevision(draft, input.revision);
  try {
    return await queueOnce(ctx, await prepareDraft(ctx, draft, input));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "draft_not_found") throw error;
    // A concurrent call may have sent it.
    const { sent_message_id } = await findSentOrDraft(ctx, input.id);
    if (sent_message_id === null) throw error;
    return sentBefore(ctx, sent_message_id);
  }
}

/** @throws ServiceError `draft_not_found` if the message was deleted */
async function sentBefore({ db }: Ctx<Caller>, messageId: string): Promise<Queued> {
  const { id, thread_id, status } = messages;
  const [row] = await db.select({ id, thread_id, status }).from(messages).where(eq(id, messageId));
  if (!row) throw noDraft();
  return { ...row, status: answeredStatus(row.status), replayed: true };
}

async function prepareDraft(ctx: Ctx<Caller>, draft: DraftRow, input: Input): Promise<Prepared> {
  const { fields } = draft;
  const inbox = await findInbox(ctx, encodeId("inb", draft.inbox_id));
  requireBody(fields);
  const labels = labelsOf(fields, input);
  const answered = fields.in_reply_to === null ? undefined : await findAnswered(ctx, fields.in_reply_to);
  const recipients = recipientsOf(draft, answered);
  if (fields.list_unsubscribe) requireOneRecipient(recipients);
  return {
    inbox,
    request: { key: undefined, content: null },
    compose: async (share) => ({
      ...recipients,
      ...readTimes(ctx, input),
      ...continuing(ctx, fields, { recipients, answered }),
      text: fields.text,
      html: fields.html,
      labels,
      files: await readDraftFiles(ctx, draft, share),
      listUnsubscribe: fields.list_unsubscribe,
    }),
    claim: (tx, messageId) => markSent(ctx, tx, { draft, messageId }),
    free: (tx) => freeSent(ctx, tx, draft),
  };
}

/** @throws ServiceError `invalid_request` if there are too many */
function labelsOf({ labels: own = [] }: DraftRow["fields"], { labels = [] }: Input): string[] {
  const all = [...new Set([...own, ...labels])];
  if (all.length > LABELS_MAX) throw invalidField("labels", `at most ${LABELS_MAX} with those of the draft`);
  return all;
}

type Recipients = ReturnType<typeof readRecipients>;

/** @throws ServiceError `invalid_request` if there is none, or there are too many */
function recipientsOf({ fields }: DraftRow, answered: Answered | undefined): Recipients {
  const given = readRecipients({ ...fields, reply_to: fields.reply_to ?? undefined });
  if (given.to.length > 0) return given;
  if (answered) {
    const reply = replyRecipients(answered.message, answered.inbox.address, fields.reply_all);
    const names = [...given.names, ...replyNames(answered)];
    const all = withoutRepeats({ ...given, to: reply.to, cc: [...given.cc, ...reply.cc], names });
    requireFew(all);
    return all;
  }
  throw invalidField("to", "a recipient is needed");
}

function continuing(
  ctx: Ctx<Caller>,
  fields: DraftRow["fields"],
  { recipients, answered }: { recipients: Recipients; answered: Answered | undefined },
): Pick<Outgoing, "subject" | "conversation" | "refusal"> {
  if (!answered) return { subject: fields.subject ?? "" };
  const reason = refusalReason(answered);
  return {
    subject: fields.subject ?? replySubject(answered.message.subject),
    ...(reason && {
      refusal: new ServiceError("reply_refused", `The message ${fields.in_reply_to} must not be answered: ${reason}.`),
    }),
    conversation: continueThread(ctx, answered, {
      recipients: [...recipients.to, ...recipients.cc, ...recipients.bcc],
      expectedLast: fields.expected_last_message_id ?? undefined,
    }),
  };
}

/** In the transaction that stores the message: a concurrent send waits here, and is refused with its message. */
async function markSent(
  ctx: Ctx<Caller>,
  tx: Transaction,
  { draft, messageId }: { draft: DraftRow; messageId: string },
): Promise<void> {
  const locked = await lockDraft(tx, draft, draft.revision);
  const version = await insertVersion(ctx, tx, locked, { withFiles: true });
  const at = ctx.now();
  const emptied = { fields: NOTHING, attachments: [], size: 0 };
  await tx
    .update(drafts)
    .set({ ...emptied, sent_message_id: messageId, updated_at: at })
    .where(eq(drafts.id, draft.id));
  await writeFiles(tx, locked, [], []);
  const { revision } = locked;
  const changed = { before: { revision, sent: null }, after: { revision, sent: messageId } };
  await record(ctx, tx, [{ kind: "draft", id: draft.id, ...changed, ...(version && { kept: version.kept }) }], {
    inbox_id: draft.inbox_id,
  });
}

/** What a version keeps stays counted. */
async function freeSent(ctx: Ctx<Caller>, tx: Transaction, draft: DraftRow): Promise<void> {
  if (!recorderOf(ctx)) await freeStorage(tx, draft);
}
