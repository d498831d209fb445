// The procedure that lists scheduled messages in the dashboard.
import { z } from "zod";
import { moment, pageInput } from "../../base/fields.ts";
import { encodeId } from "../../base/ids.ts";
import { memberProcedure, router } from "../../procedures/procedures.ts";
import { listScheduled } from "./list.ts";

const scheduled = z.object({
  id: z.string(),
  thread_id: z.string(),
  inbox: z.string(),
  to: z.array(z.string()),
  subject: z.string(),
  send_at: moment(),
});

export const scheduledRouter = router({
  listScheduled: memberProcedure("member")
    .input(z.object(pageInput))
    .output(z.object({ data: z.array(scheduled), next_cursor: z.string().nullable() }))
    .query(async ({ ctx, input }) => {
      const { rows, next_cursor } = await listScheduled(ctx, input);
      const data = rows.map(({ id, thread_id, inbox, to, subject, send_at }) => ({
        id: encodeId("msg", id),
        thread_id: encodeId("thr", thread_id),
        inbox,
        to,
        subject,
        send_at: send_at.toISOString(),
      }));
      return { data, next_cursor };
    }),
});
