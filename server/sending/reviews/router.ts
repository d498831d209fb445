// The procedures of reviews, for members: the queue, decisions, and which messages wait.
import { writeRecipients } from "../../base/addresses.ts";
import { decodeId, encodeId } from "../../base/ids.ts";
import { memberProcedure, router } from "../../procedures/procedures.ts";
import { decideOn, noReview, type Seen } from "./decide.ts";
import { editHeld } from "./edit.ts";
import { findReview, type WholeReview } from "./get.ts";
import { type ListedReview, listReviews } from "./list.ts";
import { readMemberPolicy, setMemberPolicy } from "./policy.ts";
import {
  decideInput,
  decideOutput,
  editInput,
  editOutput,
  getReviewInput,
  getReviewOutput,
  listReviewsInput,
  listReviewsOutput,
  policyInput,
  policyOutput,
  rejectInput,
  setPolicyInput,
} from "./schema.ts";

type Common = Omit<ListedReview, "subject" | "to_addresses" | "cc_addresses" | "bcc_addresses" | "recipient_names">;

function commonView(row: Common) {
  const { status, cause, revision, decided_by, reason, inbox } = row;
  return {
    id: encodeId("msg", row.id),
    thread_id: encodeId("thr", row.thread_id),
    inbox,
    status,
    cause,
    agent: row.agent,
    enrollment_key: row.enrollment_key,
    enrollment_key_id: row.enrollment_key_id && encodeId("ekey", row.enrollment_key_id),
    revision,
    decided_by,
    reason,
    decided_at: row.decided_at?.toISOString() ?? null,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
  };
}

function listView(row: ListedReview) {
  const { subject, to_addresses, cc_addresses, bcc_addresses, recipient_names } = row;
  const recipients = writeRecipients([...to_addresses, ...cc_addresses, ...bcc_addresses], recipient_names);
  return { ...commonView(row), subject, recipients };
}

function wholeView(row: WholeReview) {
  const { from_name, reply_to, message_status, error } = row;
  return {
    ...commonView(row),
    from_name,
    reply_to,
    headers: (row.headers ?? []).map(([name, value]) => ({ name, value })),
    message_status,
    error,
    sha256: row.hash.toString("hex"),
    attachments: row.attachments.map((file) => ({ ...file, id: encodeId("att", file.id) })),
    revisions: row.revisions.map(({ content, hash, created_at, ...revision }) => {
      return { ...revision, ...content, sha256: hash.toString("hex"), created_at: created_at.toISOString() };
    }),
  };
}

function messageIdOf(wireId: string): string {
  const id = decodeId("msg", wireId);
  if (!id) throw noReview();
  return id;
}

function seenBy(organizationId: string, input: { id: string; sha256: string }): Seen {
  return { organizationId, messageId: messageIdOf(input.id), hash: input.sha256 };
}

export const reviewsRouter = router({
  list: memberProcedure("member")
    .input(listReviewsInput)
    .output(listReviewsOutput)
    .query(async ({ ctx, input }) => {
      const { rows, next_cursor } = await listReviews(ctx, input);
      return { data: rows.map(listView), next_cursor };
    }),

  get: memberProcedure("member")
    .input(getReviewInput)
    .output(getReviewOutput)
    .query(async ({ ctx, input }) => wholeView(await findReview(ctx, ctx.actor.organizationId, messageIdOf(input.id)))),

  approve: memberProcedure("member")
    .input(decideInput)
    .output(decideOutput)
    .mutation(async ({ ctx, input }) => {
      const { organizationId, email: by } = ctx.actor;
      await decideOn(ctx, seenBy(organizationId, input), { decision: "approve", by });
      return { id: input.id, status: "approved" as const };
    }),

  reject: memberProcedure("member")
    .input(rejectInput)
    .output(decideOutput)
    .mutation(async ({ ctx, input }) => {
      const { organizationId, email: by } = ctx.actor;
      await decideOn(ctx, seenBy(organizationId, input), { decision: "reject", by, reason: input.reason });
      return { id: input.id, status: "rejected" as const };
    }),

  edit: memberProcedure("member")
    .input(editInput)
    .output(editOutput)
    .mutation(async ({ ctx, input }) => {
      const { to, cc, bcc, subject, text, html } = input;
      const seen = seenBy(ctx.actor.organizationId, input);
      return { id: input.id, sha256: await editHeld(ctx, seen, { to, cc, bcc, subject, text, html }) };
    }),

  policy: memberProcedure("member")
    .input(policyInput)
    .output(policyOutput)
    .query(({ ctx, input }) => readMemberPolicy(ctx, input.inbox)),

  setPolicy: memberProcedure("admin")
    .input(setPolicyInput)
    .output(policyOutput)
    .mutation(({ ctx, input }) => setMemberPolicy(ctx, input)),
});
