// GET /v1/threads/{id}/digest: the whole conversation within a number of characters.
import { randomBytes } from "node:crypto";
import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { messages } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { digestOf, type Said } from "../../extraction/digest.ts";
import { ownText } from "../../extraction/html/own-text.ts";
import { betweenMarkers } from "../../extraction/html/visible-text.ts";
import { newText } from "../../extraction/new-text.ts";
import { canBeRead } from "../../receiving/parse.ts";
import { isOwn, type MessageRow } from "../columns.ts";
import { oneLine } from "../summary.ts";
import { findThread, parseAll } from "./find.ts";

/** Only the newest messages are read, and of each text only the beginning. */
const MESSAGES = 200;
const TEXT_CHARS = 20_000;
const HTML_CHARS = 50_000;
/**
 * Of all new parts together, newest first; each text counts at most TEXT_CHARS octets, `readable` not at all. More than the largest
 * digest takes.
 */
const ALL_BYTES = 400_000;
const SUBJECT_CHARS = 150;
const NAME_CHARS = 60;
const MARKER_BYTES = 4;

type Row = Pick<MessageRow, "id" | "direction" | "status" | "from_address" | "from_name" | "created_at"> & {
  files: number;
  text: string;
  readable: string;
  /** Of own mail without a text. */
  html: string | null;
};

/**
 * The conversation in an answer of at most `max_chars` characters as JSON. Of a thread with more than MESSAGES or ALL_BYTES, the newest.
 * @throws ServiceError `thread_not_found`
 */
export async function digestThread(ctx: Ctx<Caller>, input: { id: string; max_chars: number }) {
  const thread = await findThread(ctx, input.id);
  const senders = new Set<string>();
  const said = (await newestOf(ctx, thread.id)).reverse().map((row) => saidOf(row, senders));
  const marker = randomBytes(MARKER_BYTES).toString("hex");
  const answer = (text: string) => ({
    id: encodeId("thr", thread.id),
    inbox: thread.inbox,
    subject: oneLine(thread.subject, SUBJECT_CHARS),
    message_count: thread.message_count,
    last_message_id: encodeId("msg", thread.last_message_id),
    digest: { marker, text: betweenMarkers(text, marker) },
  });
  const room = input.max_chars - JSON.stringify(answer("")).length;
  const older = Math.max(thread.message_count - said.length, 0);
  return answer(digestOf(said, { room, marker, older }));
}

/** Newest first. */
async function newestOf(ctx: Ctx<Caller>, threadId: string): Promise<Row[]> {
  const ofThread = and(eq(messages.thread_id, threadId), isOwn(ctx, messages), isNull(messages.quarantine));
  const { id, status, reading, direction, attachments, extracted_text, safe_text, text, html } = messages;
  const named = await ctx.db
    .select({ id, status, reading })
    .from(messages)
    .where(ofThread)
    .orderBy(desc(id))
    .limit(MESSAGES);
  await parseAll(
    ctx,
    named.flatMap((each) => (canBeRead(each) ? [] : each.id)),
  );
  const fresh = sql`coalesce(${extracted_text}, ${safe_text}, ${text})`;
  const sizes = ctx.db
    .select({
      id,
      before: sql<number>`coalesce(sum(least(octet_length(${fresh}), ${TEXT_CHARS}))
        over (order by ${id} desc rows between unbounded preceding and 1 preceding), 0)`.as("before"),
    })
    .from(messages)
    .where(ofThread)
    .orderBy(desc(id))
    .limit(MESSAGES)
    .as("sizes");
  return ctx.db
    .select({
      id,
      direction,
      status,
      from_address: messages.from_address,
      from_name: messages.from_name,
      created_at: messages.created_at,
      files: sql<number>`jsonb_array_length(${attachments})`,
      text: sql<string>`coalesce(left(${fresh}, ${TEXT_CHARS}), '')`,
      readable: sql<string>`coalesce(left(coalesce(${safe_text}, ${text}), ${TEXT_CHARS}), '')`,
      html: sql<
        string | null
      >`case when ${fresh} is null and ${direction} = 'outbound' then left(${html}, ${HTML_CHARS}) end`,
    })
    .from(messages)
    .innerJoin(sizes, eq(sizes.id, id))
    .where(sql`${sizes.before} < ${ALL_BYTES}`)
    .orderBy(desc(id));
}

/** @param senders those whose names were written before */
function saidOf(row: Row, senders: Set<string>): Said {
  const { id, direction, text, html, readable } = row;
  const own = direction === "outbound";
  const seen = html === null ? text : ownText(html);
  return {
    id: encodeId("msg", id),
    head: headOf(row, senders),
    text: own ? (newText({ text: seen, html: null }) ?? "") : text,
    readable: html === null ? readable : seen,
  };
}

/** When, from whom, and what else a reader should know: `2026-11-28 18:40 Ana <ana@shop.example>, 2 attachments`. */
function headOf({ direction, status, from_address, from_name, created_at, files }: Row, senders: Set<string>): string {
  const name = senders.has(from_address) ? "" : oneLine(from_name ?? "", NAME_CHARS);
  senders.add(from_address);
  const sender = name === "" ? from_address : `${name} <${from_address}>`;
  const at = created_at.toISOString().slice(0, "2026-11-28T18:40".length).replace("T", " ");
  return [
    `${at} ${sender}`,
    ...(direction === "outbound" ? [status] : []),
    ...(files > 0 ? [files === 1 ? "1 attachment" : `${files} attachments`] : []),
  ].join(", ");
}
