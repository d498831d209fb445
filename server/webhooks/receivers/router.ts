// The procedures of test receivers: members create, list and end them. They also end by themselves.
import { z } from "zod";
import { givenId } from "../../base/fields.ts";
import { encodeId } from "../../base/ids.ts";
import { memberProcedure, router } from "../../procedures/procedures.ts";
import { createReceiver, listReceivers, type Receiver } from "./create.ts";
import { endReceiver } from "./end.ts";

/** The secret signs nothing else, so members can read it while the receiver lives. */
const receiver = z.object({ id: z.string(), secret: z.string(), expires_at: z.iso.datetime() });

function receiverView({ id, secret, expiresAt }: Receiver) {
  return { id: encodeId("whk", id), secret, expires_at: expiresAt.toISOString() };
}

export const receiversRouter = router({
  createReceiver: memberProcedure("member")
    .input(z.object({}))
    .output(receiver)
    .mutation(async ({ ctx }) => receiverView(await createReceiver(ctx))),

  endReceiver: memberProcedure("member")
    .input(z.object({ id: givenId("whk", "Id of the test receiver.") }))
    .output(z.object({ done: z.literal(true) }))
    .mutation(({ ctx, input }) => endReceiver(ctx, input.id).then(() => ({ done: true as const }))),

  receivers: memberProcedure("member")
    .output(z.object({ data: z.array(receiver) }))
    .query(async ({ ctx }) => ({ data: (await listReceivers(ctx)).map(receiverView) })),
});
