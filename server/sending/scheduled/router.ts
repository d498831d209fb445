// The procedures that list scheduled and queued messages in the dashboard.
import { z } from "zod";
import { writeRecipients } from "../../base/addresses.ts";
import { moment, pageInput } from "../../base/fields.ts";
import { encodeId } from "../../base/ids.ts";
import { memberProcedure, router } from "../../procedures/procedures.ts";
import { listQueued, listScheduled } from "./list.ts";

const message = {
  id: z.string(),
  thread_id: z.string(),
  inbox: z.string(),
  /** With the names that the mail has. */
  to: z.array(z.string()),
  subject: z.string(),
};
const scheduled = z.object({ ...message, send_at: moment() });
/** `next_attempt_at` null: it is being sent. */
const queued = z.object({ ...message, next_attempt_at: moment().nullable(), reason: z.string().nullable() });

export const scheduledRouter = router({
  listScheduled: memberProcedure("member")
    .input(z.object(pageInput))
    .output(z.object({ data: z.array(scheduled), next_cursor: z.string().nullable() }))
    .query(async ({ ctx, input }) => {
      const { rows, next_cursor } = await listScheduled(ctx, input);
      const data = rows.map(({ id, thread_id, inbox, to, recipient_names, subject, send_at }) => ({
        id: encodeId("msg", id),
        thread_id: encodeId("thr", thread_id),
        inbox,
        to: writeRecipients(to, recipient_names),
        subject,
        send_at: send_at.toISOString(),
      }));
      return { data, next_cursor };
    }),

  listQueued: memberProcedure("member")
    .input(z.object({}))
    .output(z.object({ data: z.array(queued) }))
    .query(async ({ ctx }) => {
      const rows = await listQueued(ctx);
      const data = rows.map(({ id, thread_id, to, recipient_names, next_attempt_at, ...row }) => ({
        ...row,
        to: writeRecipients(to, recipient_names),
        id: encodeId("msg", id),
        thread_id: encodeId("thr", thread_id),
        next_attempt_at: next_attempt_at?.toISOString() ?? null,
      }));
      return { data };
    }),
});
