// The procedure of waiting for mail.
import { encodeId } from "../../base/ids.ts";
import { agentProcedure, rest, router } from "../../procedures/procedures.ts";
import { messageView, type Piece } from "../view.ts";
import { noteEnd } from "./end.ts";
import { type WaitOutput, waitInput, waitOutput } from "./schema.ts";
import { type WaitInput, waitForEmail } from "./wait.ts";

const NOTHING: WaitOutput["extracted"] = { otp: null, link: null, confidence: 0, link_host_matches_sender: null };
const NO_ANSWER: WaitOutput = {
  timed_out: true,
  message: null,
  event_id: null,
  extracted: NOTHING,
  cursor: "",
  earlier: null,
};

export const waitingRouter = router({
  wait: agentProcedure("mailbox:read")
    .meta(
      rest("POST /v1/inboxes/{addr}/wait", "waitForEmail", {
        tags: ["messages"],
        summary: "Wait for mail",
        description:
          "Blocks until a matching message arrives, then returns it with the one-time code and the verification link that it contains. Returns the oldest match, immediately if one already arrived after `after`. Without `after`, it finds mail of the last 120 s that no wait of this key has returned.",
        successDescription: "The message, or `timed_out: true` with `message: null`.",
        mcp: "wait_for_email",
        errors: ["insufficient_scope", "inbox_not_found", "invalid_cursor"],
      }),
    )
    .input(waitInput)
    .output(waitOutput)
    .mutation(({ ctx, input }) => ctx.request.later(() => answerOf(ctx, input), NO_ANSWER)),
});

type Context = Parameters<typeof waitForEmail>[0] & { request: Parameters<typeof waitForEmail>[2] };

async function answerOf(ctx: Context, input: WaitInput & Piece): Promise<WaitOutput> {
  const { match, cursor, earlier, ...end } = await waitForEmail(ctx, input, ctx.request);
  if (match) await noteEnd(ctx, end, ctx.request.signal);
  return {
    timed_out: match === null,
    message: match && messageView(match.message, input),
    event_id: match && encodeId("evt", match.eventId),
    extracted: match?.message.extraction ?? NOTHING,
    cursor,
    earlier: earlier && {
      count: earlier.count,
      newest_id: encodeId("msg", earlier.newestId),
      received_at: earlier.receivedAt.toISOString(),
    },
  };
}
