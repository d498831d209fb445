// The recipients of a mail that are return paths: which tokens are accepted, and what happens with the mail.
import type { SMTPServerError } from "smtp-server";
import type { Ctx, System } from "../base/context.ts";
import { type Returned, readReturnPath } from "../messages/returns/return-path.ts";
import { takeReturn } from "../messages/returns/take-return.ts";
import { reply } from "./answers.ts";

/**
 * @param before the recipients of this mail that were accepted
 * @returns `forged`: a token that this service did not make, or an expired one; `mixed`: a return path is the only
 * recipient of its mail
 */
export function kindOfRecipient(
  ctx: Ctx<System>,
  address: string,
  before: string[],
): "mailbox" | "return_path" | "forged" | "mixed" {
  const returned = readReturnPath(ctx, address);
  if (returned === "invalid") return "forged";
  if (returned) return before.length === 0 ? "return_path" : "mixed";
  return returnPathOf(ctx, before) ? "mixed" : "mailbox";
}

/** The return path that a mail goes to; undefined if it goes to mailboxes. */
export function returnPathOf(ctx: Ctx<System>, recipients: string[]): Returned | undefined {
  const read = readReturnPath(ctx, recipients[0] ?? "");
  return typeof read === "object" ? read : undefined;
}

/** Records a returned mail; the reply to its DATA. */
export async function answerToReturned(
  ctx: Ctx<System>,
  returned: Returned,
  raw: Buffer,
): Promise<SMTPServerError | string> {
  const outcome = await takeReturn(ctx, returned, raw);
  return outcome === "taken" ? "2.0.0 Recorded" : reply(451, "4.3.0 Try again later");
}
