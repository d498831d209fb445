// A message's HTML, made safe to show (docs/decisions/021).
import type { Ctx, Member } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { type SafeHtml, safeHtml } from "../../extraction/html/safe-html.ts";
import { findMessage } from "../find.ts";
import { attachedPictures } from "./attached-pictures.ts";
import { remotePictures } from "./remote-pictures.ts";

/** Which pictures the HTML shows: none, those that are attached, or also those on other servers. */
export type ShownPictures = "none" | "attached" | "remote";

/**
 * @param wireId `msg_…`
 * @throws ServiceError `message_not_found`, also for a message without HTML; `rate_limited` for remote pictures
 */
export async function shownHtml(ctx: Ctx<Member>, wireId: string, pictures: ShownPictures): Promise<SafeHtml> {
  const message = await findMessage(ctx, wireId);
  const { html } = message;
  if (html === null) throw new ServiceError("message_not_found", "This message has no HTML.");
  if (pictures === "none") return safeHtml(html);
  const attached = await attachedPictures(ctx, message);
  const remote = pictures === "remote" ? await remotePictures(ctx, html) : [];
  return safeHtml(html, new Map([...attached, ...remote]));
}
