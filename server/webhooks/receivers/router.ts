// The procedures of test receivers: members create and list them. They end by themselves.
import { z } from "zod";
import { encodeId } from "../../base/ids.ts";
import { memberProcedure, router } from "../../procedures/procedures.ts";
import { createReceiver, listReceivers, type Receiver } from "./create.ts";

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

  receivers: memberProcedure("member")
    .output(z.object({ data: z.array(receiver) }))
    .query(async ({ ctx }) => ({ data: (await listReceivers(ctx)).map(receiverView) })),
});
