// The files of an export: `organization.jsonl` has a line for each row, `mail.mbox` the bytes of inbound mail.
//
// The lines are a header, the rows of each table in order, and an end with counts, hashes and a code of them under the export key.
import type { TransactionSql } from "postgres";
import { streamedLines } from "./mbox.ts";
import { exported, rowsOf, type TransferTable } from "./tables.ts";

export const FORMAT = "mailberth-organization/1";
export const ROWS_FILE = "organization.jsonl";
export const MAIL_FILE = "mail.mbox";

/** `key_check`: a code that only the same export key makes. `migration`: the newest one of the database. */
export type Header = {
  format: string;
  version: string;
  migration: number;
  organization: string;
  name: string;
  default_domain: string;
  key_check: string;
  created_at: string;
};
/** Of each table: the number of rows, and the SHA-256 of them with their secrets in plain text. */
export type Counts = Record<string, { rows: number; sha256: string }>;
export type End = { tables: Counts; mac: string };
/** A line of `raw_messages`, whose bytes are the next mail of the mbox. */
export type RawMail = { message_id: string; octets: number; sha256: string };

/** What server/base/secrets.ts makes of a key. */
export type Box = {
  seal(plain: string, context: string): Buffer;
  open(sealed: Buffer, context: string): string;
  mac(text: string): Buffer;
};

export const KEY_CHECK = "export key";
export const endCode = (box: Box, tables: Counts): string => box.mac(JSON.stringify(tables)).toString("hex");

const ROW = /^\{"table":"(\w+)","row":(\{.*\})\}\n?$/s;
export type Line = { table: string; row: string } | { header: Header } | { end: End };

export function lineOf(line: Line): string {
  return "table" in line ? `{"table":"${line.table}","row":${line.row}}\n` : `${JSON.stringify(line)}\n`;
}

/** @throws Error if a line has another form */
export async function* linesIn(file: string): AsyncGenerator<Line> {
  for await (const bytes of streamedLines(file)) {
    const text = bytes.toString();
    const [, table, row] = ROW.exec(text) ?? [];
    yield table && row ? { table, row } : parsed(text);
  }
}

function parsed(text: string): Line {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("The export is cut short or damaged: a line is not whole.");
  }
}

/** A column of bytes as PostgreSQL has it in JSON. */
const hex = (bytes: Buffer) => `\\x${bytes.toString("hex")}`;
const bytesOf = (text: string) => Buffer.from(text.slice("\\x".length), "hex");

/** Gives each secret of a row to `change`. @returns the row unchanged if its table has no secrets */
export function withSecrets(
  { sealed }: TransferTable,
  row: string,
  change: (text: string, id: string) => string,
): string {
  if (!sealed) return row;
  const values = JSON.parse(row);
  for (const column of sealed) {
    if (values[column] !== null) values[column] = change(values[column], values.id);
  }
  return JSON.stringify(values);
}

/** Reads a content that is in an object. */
export type LoadContent = (organizationId: string, blob: string) => Promise<Buffer>;

/** A row of a table with content, as it is where the content is in the row. */
export async function withContent({ hasContent }: TransferTable, row: string, load: LoadContent): Promise<string> {
  if (!hasContent) return row;
  const values = JSON.parse(row);
  if (values.blob === null) return JSON.stringify(values);
  const bytes = hex(await load(values.organization_id, values.blob));
  return JSON.stringify({ ...values, bytes, blob: null, sha256: null });
}

/** For `withSecrets`: seals for the other box. */
export const resealed = (from: Box, to: Box) => (text: string, id: string) =>
  hex(to.seal(from.open(bytesOf(text), id), id));
export const opened = (box: Box) => (text: string, id: string) => box.open(bytesOf(text), id);

/** Rows of one query of the cursor: a row may have a mail's bodies or an attachment. */
const ROWS_EACH = 20;

/** The rows of the organization in a table, as JSON. */
export async function* rowsIn(tx: TransactionSql, table: TransferTable, organization: string): AsyncGenerator<string> {
  const query = tx<{ row: string }[]>`
    select ${exported(tx, table)}::text as row from ${tx(table.name)} t
    where ${rowsOf(tx, table, organization)} order by ${tx(table.order)}`;
  for await (const rows of query.cursor(ROWS_EACH)) for (const { row } of rows) yield row;
}
