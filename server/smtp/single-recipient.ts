// Mail to one recipient that is not a mailbox: a return path, or postmaster.
import type { SMTPServerError } from "smtp-server";
import type { Ctx, System } from "../base/context.ts";
import { findPostmaster, isPostmaster } from "../receiving/postmaster/find.ts";
import { forwardToPostmaster } from "../receiving/postmaster/forward.ts";
import { type Returned, readReturnPath } from "../receiving/returns/return-path.ts";
import { reply } from "./answers.ts";

type OneMail = { envelopeFrom: string; raw: Buffer };
type Single = { returned: Returned } | { postmaster: string };

/**
 * @param before the recipients of this mail that were accepted
 * @returns `forged`: a token that this service did not make; `mixed`: a return path and postmaster are
 * the only recipient of their mail
 */
export function kindOfRecipient(
  ctx: Ctx<System>,
  address: string,
  before: string[],
): "mailbox" | "postmaster" | "return_path" | "forged" | "mixed" {
  const returned = readReturnPath(ctx, address);
  if (returned === "invalid") return "forged";
  const kind = returned ? "return_path" : isPostmaster(address) ? "postmaster" : "mailbox";
  const isMixed = kind === "mailbox" ? singleOf(ctx, before) !== undefined : before.length > 0;
  return isMixed ? "mixed" : kind;
}

/** @returns undefined if the mail goes to mailboxes */
export function singleOf(ctx: Ctx<System>, recipients: string[]): Single | undefined {
  const first = recipients[0] ?? "";
  const returned = readReturnPath(ctx, first);
  if (typeof returned === "object") return { returned };
  return isPostmaster(first) ? { postmaster: first } : undefined;
}

export async function checkPostmaster(ctx: Ctx<System>, address: string): Promise<"ready" | "foreign"> {
  return (await findPostmaster(ctx, address)) ? "ready" : "foreign";
}

/** The reply to the DATA of a mail to postmaster. */
export async function answerToPostmaster(
  ctx: Ctx<System>,
  recipient: string,
  mail: OneMail,
): Promise<SMTPServerError | string> {
  const postmaster = await findPostmaster(ctx, recipient);
  if (!postmaster) return reply(550, "5.1.1 No such mailbox here");
  await forwardToPostmaster(ctx, postmaster, mail);
  return "2.0.0 Accepted";
}
