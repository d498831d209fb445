// GET /v1/messages/{id}/attachments/{attachment_id}/text: the text of an attachment, read in a thread that can be terminated.
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { createJob } from "../../base/threads/thread-pool.ts";
import { notRead } from "../../receiving/parse-mail.ts";
import { findAttachment } from "../files/attachments.ts";

/** CPU time for one answer, and for each MiB of the mail, whose parts are read first. */
const TEXT_CPU_MS = 4_000;
const MIB_CPU_MS = 200;
const MIB = 1024 * 1024;

const readText = createJob<typeof import("./text-worker.ts")>({
  name: "attachment text",
  kind: "slow_file",
  program: new URL("./text-worker.ts", import.meta.url),
});

function unreadable(reason: string): ServiceError {
  return new ServiceError("attachment_unreadable", `No text could be read from the attachment: ${reason}.`);
}

/**
 * @throws ServiceError `message_not_found`, `attachment_not_found`, `attachment_unreadable`, `unavailable`
 */
export async function attachmentText(
  ctx: Ctx<Caller>,
  { id, attachment_id, offset }: { id: string; attachment_id: string; offset: number },
) {
  const { info, holder } = await findAttachment(ctx, id, attachment_id);
  const { filename, content_type: contentType } = info;
  const outcome = await ctx.outOfTurn(() =>
    readText(ctx.threadPool, {
      organizationId: ctx.actor.organizationId,
      cpuMs: TEXT_CPU_MS + (holder.size / MIB) * MIB_CPU_MS,
      // Loaded when a thread is free, so that waiting work holds no memory. The thread that has it does not wait for another one.
      question: async () => {
        const bytes = new Uint8Array(await holder.load());
        return { bytes, listed: holder.listed, filename: filename ?? "", contentType, offset };
      },
      transfer: ({ bytes: moved }) => [moved.buffer],
    }),
  );
  if ("answer" in outcome) {
    const { answer } = outcome;
    if (answer.kind === null)
      throw unreadable(
        "its format is none of PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, HTML, MHTML, CSV, ICS, VCF, EML and plain text",
      );
    return { info, ...answer, kind: answer.kind };
  }
  if (outcome.ended === "lost") throw notRead("The attachment could not be read in time.");
  ctx.log.info(
    { attachment: attachment_id, ended: outcome.ended, reason: outcome.reason },
    "could not read an attachment",
  );
  if (outcome.ended === "error")
    throw unreadable(/password/i.test(outcome.reason) ? "it is encrypted" : "it is broken or too large");
  throw unreadable("reading it takes too much time or memory");
}
