// A message's HTML, made safe to show (docs/decisions/021).
import type { Ctx, Member } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Limiter } from "../../base/limiter.ts";
import type { Pictures } from "../../base/ports/pictures.ts";
import { createJob } from "../../base/threads/thread-pool.ts";
import type { Span } from "../../extraction/html/html-reading.ts";
import { decodeCid, remotePicturesIn, type SafeHtml, safeHtml } from "../../extraction/html/safe-html.ts";
import { isReplySubject } from "../../extraction/reply-shapes.ts";
import { readPictures } from "../../receiving/parse-mail.ts";
import type { MessageRow } from "../columns.ts";
import { findMessage } from "../find.ts";

// Decides what a picture is by its first bytes; what a mail or a server says about it does not count. No SVG, which is a document.
const TYPES: [type: string, start: string, offset?: number][] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF8"],
  ["image/webp", "WEBP", 8],
];
const START_BYTES = 16;

/** A data URL; undefined if the bytes are no picture. */
function pictureUrl(bytes: Buffer): string | undefined {
  const start = bytes.toString("latin1", 0, START_BYTES);
  const type = TYPES.find(([, begins, offset = 0]) => start.startsWith(begins, offset))?.[0];
  return type && `data:${type};base64,${bytes.toString("base64")}`;
}

// Loads the pictures that the HTML of a mail names from other servers, when a member asks for them.
declare module "../../base/context.ts" {
  interface Services {
    remotePictures: Pictures;
    /** Mails whose remote pictures are being loaded, by organization. */
    picturesLoading: Limiter;
  }
}

/** In one mail: attached ones, and remote ones. */
const PICTURES_MAX = 30;
/** Mails at the same time in this process, and of one organization: each may hold some MiB. */
export const PICTURED_MAILS = { total: 12, each: 3 };

/** @throws ServiceError `rate_limited` */
function takePlace({ picturesLoading, actor: { organizationId } }: Ctx<Member>): () => void {
  const place = picturesLoading.open(organizationId);
  if (place.take()) {
    throw new ServiceError("rate_limited", "The remote images of too many mails are being loaded.", {
      headers: { "Retry-After": "2" },
    });
  }
  return place.release;
}

/**
 * Data URLs by address.
 * @throws ServiceError `rate_limited` if the pictures of too many mails are being loaded
 */
async function remotePictures(ctx: Ctx<Member>, html: string): Promise<ReadonlyMap<string, string>> {
  const urls = (await remotePicturesIn(html)).slice(0, PICTURES_MAX);
  if (urls.length === 0) return new Map();
  const leave = takePlace(ctx);
  try {
    const loaded = await ctx.outOfTurn(() => ctx.remotePictures.load(urls));
    return new Map(
      [...loaded].flatMap(([url, bytes]): [string, string][] => {
        const shown = pictureUrl(bytes);
        return shown ? [[url, shown]] : [];
      }),
    );
  } finally {
    leave();
  }
}

// The pictures that the HTML of a mail names by `cid:`, as data URLs: only parts of the same mail, and only pictures.
const CID = /\bcid:([^"'\s<>)]{1,250})/gi;
/** The content ids in the HTML, without duplicates. */
function contentIdsIn(html: string): string[] {
  const ids = new Set<string>();
  for (const [, id = ""] of html.matchAll(CID)) {
    if (ids.size === PICTURES_MAX) break;
    ids.add(decodeCid(id));
  }
  return [...ids];
}

/** Data URLs by content id. */
async function attachedPictures(
  ctx: Ctx<Member>,
  { id, size, direction, html }: Pick<MessageRow, "id" | "size" | "direction" | "html">,
): Promise<ReadonlyMap<string, string>> {
  const contentIds = direction === "inbound" ? contentIdsIn(html ?? "") : [];
  if (contentIds.length === 0) return new Map();
  const { organizationId } = ctx.actor;
  const files = await readPictures(ctx, { id, size, organizationId }, contentIds);
  return new Map(
    files.flatMap((bytes, at): [string, string][] => {
      const url = bytes && pictureUrl(bytes);
      return url ? [[contentIds[at] ?? "", url]] : [];
    }),
  );
}

/** CPU time to find the quotes of one message. */
const QUOTES_CPU_MS = 1_000;

const findQuotes = createJob<typeof import("./quotes-worker.ts")>({
  name: "quotes",
  kind: "mail",
  program: new URL("./quotes-worker.ts", import.meta.url),
});

/** `html`: as characters of the HTML. `text`: as lines of the text. */
type Quotes = { html: Span[]; text: Span[] };

/** The quotes that a page folds; none if they are not found in time. */
async function quotesOf(ctx: Ctx<Member>, message: MessageRow): Promise<Quotes> {
  const { html, text, subject, extracted_text: fresh, safe_text: seen, in_reply_to, references } = message;
  const none = { html: [], text: [] };
  if (fresh !== null && fresh === seen?.trim()) return none;
  const answers = in_reply_to !== null || references.length > 0 || isReplySubject(subject);
  const outcome = await ctx.outOfTurn(() =>
    findQuotes(ctx.threadPool, {
      organizationId: ctx.actor.organizationId,
      cpuMs: QUOTES_CPU_MS,
      question: () => ({ html, text, subject, answers, fresh }),
    }),
  );
  if ("answer" in outcome) return outcome.answer;
  ctx.log.info({ message: message.id, ...outcome }, "could not find the quotes of a message");
  return none;
}

/**
 * What of a message is quoted: how many characters of its HTML, and which lines of its text.
 * @throws ServiceError `message_not_found`
 */
export async function quotesIn(ctx: Ctx<Member>, wireId: string): Promise<{ html_chars: number; text: Span[] }> {
  const message = await findMessage(ctx, wireId);
  const { html, text } = await quotesOf(ctx, message);
  const end = message.html?.length ?? 0;
  return { html_chars: html.reduce((sum, { from, to }) => sum + Math.min(to, end) - from, 0), text };
}

/** Which pictures the HTML shows: none, those that are attached, or also those on other servers. */
export type ShownPictures = "none" | "attached" | "remote";

/**
 * @param wireId `msg_…`
 * @param folded its quotes are marked
 * @throws ServiceError `message_not_found`, also for a message without HTML; `rate_limited` for remote pictures
 */
export async function shownHtml(
  ctx: Ctx<Member>,
  wireId: string,
  pictures: ShownPictures,
  folded = false,
): Promise<SafeHtml> {
  const message = await findMessage(ctx, wireId);
  const { html } = message;
  if (html === null) throw new ServiceError("message_not_found", "This message has no HTML.");
  if (pictures === "none") return safeHtml(html);
  const attached = await attachedPictures(ctx, message);
  const remote = pictures === "remote" ? await remotePictures(ctx, html) : [];
  const quotes = folded ? (await quotesOf(ctx, message)).html : [];
  return safeHtml(html, new Map([...attached, ...remote]), quotes);
}
