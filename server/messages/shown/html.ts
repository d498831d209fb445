// A message's HTML, made safe to show (docs/decisions/021).
import type { Ctx, Member } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { type SafeHtml, safeHtml } from "../../extraction/html/safe-html.ts";
import { findMessage } from "../find.ts";
import { attachedPictures } from "./attached-pictures.ts";

/**
 * @param wireId `msg_…`
 * @param withPictures with the attached pictures that the HTML shows
 * @throws ServiceError `message_not_found`, also for a message without HTML
 */
export async function shownHtml(ctx: Ctx<Member>, wireId: string, withPictures: boolean): Promise<SafeHtml> {
  const message = await findMessage(ctx, wireId);
  const { html } = message;
  if (html === null) throw new ServiceError("message_not_found", "This message has no HTML.");
  return safeHtml(html, withPictures ? await attachedPictures(ctx, message) : undefined);
}
