// Writes the results of parsing, many mails in one statement.
import { and, eq, exists, isNotNull, isNull, lt, notExists, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Database } from "#db/client.ts";
import { anyOf, asInIndex } from "#db/conditions.ts";
import type { Reading } from "#db/message-parts.ts";
import { messages } from "#db/schema/mail.ts";
import type { Services } from "../base/context.ts";
import { searchText } from "../extraction/search.ts";
import type { HeaderBlock } from "../mime/headers.ts";
import { prepareCorrespondents, type Received, recordCorrespondents } from "../recipients/limits/correspondents.ts";
import { readFrom } from "./authentication/read-from.ts";
import { summarize } from "./headers.ts";
import { type Extracted, judgeFrom } from "./reading.ts";
import { searchVector } from "./search-index.ts";
import { CONTACTS, type Evidence, type Judged, judgeSpam, spamEvidence } from "./spam.ts";

/** `row`: values of the message as JSON, of `newValues` below. */
export type Body = { status: "parsed" | "unparsed"; row: string; evidence: Evidence };
/** Without `authentication` it stays `received` and leased, but can be read. The others as in `Judged`. */
export type Read = Body & Received & Pick<Judged, "isRemote" | "isOfFilter"> & { isImported: boolean };

/** The result for a mail whose body cannot be parsed: sender, recipients and subject from its header block. */
export function unreadable(block: HeaderBlock, from: string, reason: string): Body {
  const author = readFrom(block.lines, block.charset);
  const summary = summarize(block, author);
  const { from: sender, to, cc, subject } = summary;
  const security: Extracted["security"] = {
    ...judgeFrom(author),
    hidden_text: false,
    hiding: "none",
    instructions: "none",
    suspicious_links: [],
  };
  const words = searchText({ from, fromName: sender?.name ?? null, to: [...to, ...cc], subject, body: "" });
  const reading: Reading = { complete: false, notes: ["part_unreadable"] };
  const error = `the body cannot be parsed: ${reason}`.replaceAll("\0", "");
  return {
    status: "unparsed",
    row: JSON.stringify({ error, attachments: [], reading, security, words }),
    evidence: spamEvidence({ block, summary, security, text: "", links: [], filenames: [] }),
  };
}

/** Rows `received` with a verdict become `parsed` or `unparsed`; a row that was parsed or deleted in the meantime stays unchanged. */
export async function writeReads(
  services: Pick<Services, "secrets" | "now">,
  { record, write }: WriteStatements,
  reads: Read[],
): Promise<undefined[]> {
  // Before the rows change: if the process ends in between, the mail is parsed again.
  const received = reads.filter(({ isImported }) => !isImported);
  await recordCorrespondents(services, record, received);
  const rows = reads.map(({ id, status, authentication, row, evidence, isRemote, isOfFilter, isImported }) => {
    const judged = authentication && !isImported && { ...evidence, authentication, isRemote, isOfFilter };
    const spam = judged ? Object.fromEntries(CONTACTS.map((contact) => [contact, judgeSpam(judged, contact)])) : null;
    const own = { id, status: authentication ? status : "received", authentication, spam };
    return `${JSON.stringify(own).slice(0, -1)},${row.slice(1)}`;
  });
  await write.execute({ ids: reads.map(({ id }) => id), rows: `[${rows.join()}]` });
  return reads.map(() => undefined);
}

/** The statements of `writeReads`, which are built once, because all mail needs them. */
export function prepareWrites(db: Database) {
  const write = db
    .update(messages)
    .set(newValues(db))
    .from(sql`json_to_recordset(${sql.placeholder("rows")}::text::json) as r(id uuid, status text, error text, headers jsonb,
      text text, html text, extracted_text text, safe_text text, extraction jsonb, security jsonb, words text,
      attachments jsonb, reading jsonb, authentication jsonb, spam jsonb, to_addresses text[], cc_addresses text[], reply_to text[])`)
    .where(and(anyOf(messages.id, sql.placeholder("ids")), sql`${messages.id} = r.id`, eq(messages.status, "received")))
    .prepare("write_reads");
  return { record: prepareCorrespondents(db), write };
}

type WriteStatements = ReturnType<typeof prepareWrites>;

/** The values of a message from its row `r`. */
function newValues(db: Database) {
  const [earlier, reply] = [alias(messages, "earlier"), alias(messages, "reply")];
  const fromSender = db
    .select({ id: earlier.id })
    .from(earlier)
    .where(
      and(
        eq(earlier.inbox_id, messages.inbox_id),
        sql`lower(${earlier.from_address}) = lower(${messages.from_address})`,
        asInIndex(eq(earlier.direction, "inbound")),
        lt(earlier.id, messages.id),
        isNull(earlier.quarantine),
        // An imported mail proves no earlier contact.
        isNotNull(earlier.envelope_from),
      ),
    );
  const toThread = db
    .select({ id: reply.id })
    .from(reply)
    .where(and(eq(reply.thread_id, messages.thread_id), eq(reply.direction, "outbound"), lt(reply.id, messages.id)));
  return {
    status: sql`r.status`,
    error: sql`r.error`,
    headers: sql`r.headers`,
    text: sql`r.text`,
    html: sql`r.html`,
    extracted_text: sql`r.extracted_text`,
    safe_text: sql`r.safe_text`,
    extraction: sql`r.extraction`,
    attachments: sql`r.attachments`,
    reading: sql`r.reading`,
    to_addresses: sql`coalesce(r.to_addresses, ${messages.to_addresses})`,
    cc_addresses: sql`coalesce(r.cc_addresses, ${messages.cc_addresses})`,
    reply_to: sql`coalesce(r.reply_to, ${messages.reply_to})`,
    authentication: sql`r.authentication`,
    search: searchVector(messages, sql`r.words`),
    security: sql`r.security ||
      jsonb_build_object('first_contact', ${and(notExists(fromSender), notExists(toThread))})`,
    spam: sql`r.spam->case when ${exists(toThread)} then 'answer' when ${exists(fromSender)} then 'known' else 'first' end`,
    next_attempt_at: sql`case when r.status = 'received' then ${messages.next_attempt_at} end`,
  };
}
