// Writes the results of parsing, many mails in one statement.
import type { Authentication } from "#db/message-parts.ts";
import type { Services } from "../../base/context.ts";
import { searchText, searchVector } from "../../extraction/search.ts";
import { type HeaderBlock, summarize } from "./headers.ts";
import type { ParsedBody } from "./parse-worker.ts";
import { hasManyFroms, type Reading } from "./reading.ts";

/** `body` null: it could not be parsed, and `error` says why. `words`: for the search index. */
export type Body = { body: ParsedBody | null; error: string | null; security: Reading["security"]; words: string };
export type Read = Body & { id: string; authentication: Authentication | null };

/** The result for a mail whose body cannot be parsed: sender, recipients and subject from its header block. */
export function unreadable(block: HeaderBlock, from: string, reason: string): Body {
  const { from: sender, to, cc, subject } = summarize(block);
  return {
    body: null,
    error: `the body cannot be parsed: ${reason}`.replaceAll("\0", ""),
    security: {
      multiple_from: hasManyFroms(block),
      hidden_text: false,
      hiding: "none",
      instructions: "none",
      suspicious_links: [],
    },
    words: searchText({ from, fromName: sender?.name ?? null, to: [...to, ...cc], subject, body: "" }),
  };
}

/** Rows `received` become `parsed` or `unparsed`; a row that was parsed or deleted in the meantime stays unchanged. */
export async function writeReads({ sql }: Pick<Services, "sql">, reads: Read[]): Promise<undefined[]> {
  const rows = reads.map(({ id, error, body, security, words, authentication }) => ({
    id,
    error,
    security,
    status: body ? "parsed" : "unparsed",
    headers: body?.headers ?? null,
    to_addresses: body?.to ?? null,
    cc_addresses: body?.cc ?? null,
    reply_to: body?.replyTo ?? null,
    text: body?.text ?? null,
    html: body?.html ?? null,
    extracted_text: body?.reading.extracted_text ?? null,
    safe_text: body?.reading.safe_text ?? null,
    extraction: body?.reading.extraction ?? null,
    words,
    attachments: body?.attachments ?? [],
    authentication,
  }));
  await sql`
    update messages m set status = r.status, error = r.error, headers = r.headers, text = r.text, html = r.html,
      extracted_text = r.extracted_text, safe_text = r.safe_text, extraction = r.extraction,
      attachments = r.attachments, to_addresses = coalesce(r.to_addresses, m.to_addresses),
      cc_addresses = coalesce(r.cc_addresses, m.cc_addresses), reply_to = coalesce(r.reply_to, m.reply_to),
      authentication = r.authentication, search = ${searchVector(sql, sql`m.inbox_id`, sql`r.words`)},
      security = r.security || jsonb_build_object('first_contact',
        not exists (select 1 from messages e where e.inbox_id = m.inbox_id
          and lower(e.from_address) = lower(m.from_address) and e.direction = 'inbound' and e.id < m.id)
        and not exists (select 1 from messages e where e.thread_id = m.thread_id and e.direction = 'outbound' and e.id < m.id)),
      next_attempt_at = null
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, status text, error text, headers jsonb,
      text text, html text, extracted_text text, safe_text text, extraction jsonb, security jsonb, words text,
      attachments jsonb, authentication jsonb, to_addresses text[], cc_addresses text[], reply_to text[])
    where m.id = any(${rows.map(({ id }) => id)}::uuid[]) and m.id = r.id and m.status = 'received'`;
  return reads.map(() => undefined);
}
