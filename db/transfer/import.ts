// Adds an exported organization to this installation: all of it, or nothing.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Sql, TransactionSql } from "postgres";
import { tablesOf } from "../backup/tables.ts";
import { openDatabase } from "../client.ts";
import { NEWEST_MIGRATION, VERSION } from "../migrate.ts";
import { faultInRow } from "./check-row.ts";
import {
  type Box,
  type Counts,
  type End,
  endCode,
  FORMAT,
  type Header,
  KEY_CHECK,
  type Line,
  linesIn,
  MAIL_FILE,
  opened,
  type RawMail,
  ROWS_FILE,
  resealed,
  rowsIn,
  withContent,
  withSecrets,
} from "./format.ts";
import { mailsIn } from "./mbox.ts";
import { refuseForeign } from "./references.ts";
import type { ImportRules, Row } from "./rules.ts";
import { type Left, settle } from "./settle.ts";
import { changedRow, RAW_MAIL, rowsOf, TRANSFERRED, type TransferTable } from "./tables.ts";

const CUT_SHORT = "The export is cut short.";
const DAMAGED = "The export is damaged";
/** One INSERT has at most so many rows, and about so many characters. */
const BATCH_ROWS = 100;
const BATCH_CHARS = 1_000_000;
const UNIQUE_VIOLATION = "23505";
const FOREIGN_KEY_VIOLATION = "23503";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `domains`: to be granted; `claims`: to be verified in DNS; `owners`: addresses that got notices in the other installation. */
export type Imported = { organization: string; rows: number; mails: number } & Left;
type Input = {
  url: string;
  schema: string;
  folder: string;
  defaultDomain: string;
  boxes: { own: Box; transfer: Box };
  rules: ImportRules;
  report: (line: string) => void;
};
/** `shown`: rows of tables that are only shown, as the export has them. */
type Import = {
  sql: Sql;
  tx: TransactionSql;
  input: Input;
  header: Header;
  columns: Map<string, string[]>;
  shown: Map<string, string[]>;
};

/**
 * Writes the rows in one transaction, and compares counts and hashes of what the database has then. The export is a stranger's: each row
 * is checked, and what it says of domains, counts and the future is not believed.
 * @throws Error if the export is cut short, damaged, of another version or another key; if something in it is taken here
 */
export async function importOrganization(input: Input): Promise<Imported> {
  const { url, schema, folder } = input;
  const lines = linesIn(join(folder, ROWS_FILE));
  const header = await readHeader(lines, input);
  const { sql, close } = openDatabase({ url, schema, poolSize: 2 });
  try {
    return await sql.begin(async (tx) => {
      await tx`set local timezone = 'UTC'`;
      const columns = new Map((await tablesOf(tx)).map((table) => [table.table, table.columns]));
      await refuseKnown(tx, header);
      return writeAll({ sql, tx, input, header, columns, shown: new Map() }, lines);
    });
  } catch (error) {
    throw taken(error);
  } finally {
    await close();
  }
}

async function readHeader(lines: AsyncGenerator<Line>, { boxes }: Input): Promise<Header> {
  const { value: line } = await lines.next();
  if (!line || !("header" in line) || !line.header.format?.startsWith("mailberth-organization/")) {
    throw new Error("The folder is not an export of an organization.");
  }
  const { header } = line;
  if (header.format !== FORMAT || header.migration !== NEWEST_MIGRATION) {
    throw new Error(
      `The export is of Mailberth ${header.version} with another schema, and this is ${VERSION}. Bring both installations to the same version, and export again.`,
    );
  }
  if (header.key_check !== boxes.transfer.mac(KEY_CHECK).toString("hex")) {
    throw new Error("The export was made with another key. Name the file of its key with --key.");
  }
  return header;
}

/** Rows that name it would be added to the organization that is here. */
async function refuseKnown(tx: TransactionSql, { organization, name }: Header): Promise<void> {
  if (!UUID.test(organization)) throw new Error(`${DAMAGED}: it names no organization.`);
  const [known] = await tx<{ name: string }[]>`select name from organizations where id = ${organization}`;
  if (!known) return;
  throw new Error(
    known.name === name
      ? `The organization ${name} is here already. Rename the one that is here, or export another one.`
      : `The organization of the export is here already, with the name ${known.name}. Nothing was imported.`,
  );
}

async function writeAll(work: Import, lines: AsyncGenerator<Line>): Promise<Imported> {
  const { input } = work;
  const mails = mailsIn(join(input.folder, MAIL_FILE));
  const mailHash = createHash("sha256");
  const counted = { rows: 0, mails: 0 };
  let end: End | undefined;
  let batch: { table: string; rows: string[]; chars: number } = { table: "", rows: [], chars: 0 };
  for await (const line of lines) {
    if ("header" in line || end) throw new Error(`${DAMAGED}: a line is not where it belongs.`);
    const isFull = batch.rows.length === BATCH_ROWS || batch.chars > BATCH_CHARS;
    if (isFull || !("table" in line) || line.table !== batch.table) {
      await insertRows(work, batch.table, batch.rows);
      batch = { table: "table" in line ? line.table : "", rows: [], chars: 0 };
    }
    if ("end" in line) {
      end = line.end;
    } else if (line.table === RAW_MAIL) {
      mailHash.update(await insertMail(work, JSON.parse(line.row), mails));
      counted.mails += 1;
    } else {
      batch.rows.push(line.row);
      batch.chars += line.row.length;
    }
  }
  if (!end) throw new Error(CUT_SHORT);
  if (!(await mails.next()).done) throw new Error(`${DAMAGED}: it has more mails than rows of mail.`);
  const tables = await countAll(work, { rows: counted.mails, sha256: mailHash.digest("hex") });
  for (const [name, { rows }] of Object.entries(tables)) {
    if (JSON.stringify(tables[name]) !== JSON.stringify(end.tables[name])) {
      throw new Error(`${DAMAGED}: the rows of ${name} differ from the ones that were exported.`);
    }
    input.report(`${name}: ${rows} rows`);
    counted.rows += rows;
  }
  if (end.mac !== endCode(input.boxes.transfer, tables)) throw new Error(`${DAMAGED}: its code is wrong.`);
  return { organization: await ownName(work), ...counted, ...(await land(work)) };
}

/** The export may name one organization in its header and have another one in its rows, or none. */
async function ownName({ tx, header }: Import): Promise<string> {
  const [row] = await tx<{ name: string }[]>`select name from organizations where id = ${header.organization}`;
  if (!row) throw new Error(`${DAMAGED}: it has no organization.`);
  return row.name;
}

async function land({ tx, input, header, shown }: Import): Promise<Left> {
  const { organization } = header;
  await refuseForeign(tx, organization);
  const grants = (shown.get("domain_grants") ?? []).map((row) => JSON.parse(row));
  const granted = grants.filter((grant) => grant.granted_by === "operator" && grant.revoked_at === null);
  const { defaultDomain, rules } = input;
  return settle({ tx, organization, defaultDomain, rules }, [...new Set<string>(granted.map(({ domain }) => domain))]);
}

async function insertRows(
  { sql, tx, input, header, columns, shown }: Import,
  name: string,
  rows: string[],
): Promise<void> {
  if (rows.length === 0) return;
  const table = TRANSFERRED.find((each) => each.name === name);
  const names = columns.get(name);
  if (!table || !names) throw new Error(`${DAMAGED}: it has rows of ${name}.`);
  for (const row of rows) checkRow(table, row, input);
  if (table.isShown) {
    shown.set(name, [...(shown.get(name) ?? []), ...rows]);
    return;
  }
  const own = rows.map((row) => withSecrets(table, row, resealed(input.boxes.transfer, input.boxes.own)));
  // A genuine export has changed its rows already.
  const { count } = await tx`
    insert into ${sql(name)} (${sql(names)}) select ${sql(names)}
    from jsonb_populate_recordset(null::${sql(name)},
      (select jsonb_agg(${changedRow(tx, table)}) from jsonb_array_elements(${`[${own.join(",")}]`}::text::jsonb) as j)) t
    where ${rowsOf(tx, table, header.organization)}`;
  if (count !== rows.length) throw new Error(`${DAMAGED}: it has rows of another organization.`);
}

/** @throws Error if the row cannot be one of this service */
function checkRow(table: TransferTable, text: string, { boxes, rules }: Input): void {
  const row: Row = JSON.parse(text);
  const now = new Date();
  const refuse = (fault: string) => {
    throw new Error(`A row of ${table.name} cannot be imported: ${fault}. Nothing was imported.`);
  };
  const fault = faultInRow(table.name, row, now);
  if (fault) refuse(fault);
  const secrets: Record<string, string> = {};
  for (const column of table.sealed ?? []) {
    if (row[column] !== null) secrets[column] = opened(boxes.transfer)(String(row[column]), String(row.id));
  }
  const forbidden = rules.fault(table.name, row, secrets, now);
  if (forbidden) refuse(forbidden);
}

/** Stores the next mail of the mbox. @returns what the hash of the mail is made of */
async function insertMail({ tx, header }: Import, row: RawMail, mails: AsyncGenerator<Buffer>): Promise<string> {
  const { value: bytes } = await mails.next();
  if (!bytes) throw new Error(CUT_SHORT);
  if (!UUID.test(row.message_id)) throw new Error(`${DAMAGED}: a mail has no message.`);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (sha256 !== row.sha256)
    throw new Error(`${DAMAGED}: the mail ${row.message_id} differs from the one that was exported.`);
  await tx`
    insert into raw_messages (message_id, organization_id, bytes) values (${row.message_id}, ${header.organization}, ${bytes})`;
  return `${row.message_id} ${sha256}\n`;
}

/** Reads what the database has now. */
async function countAll({ tx, input, header, shown }: Import, mail: Counts[string]): Promise<Counts> {
  const tables: Counts = {};
  for (const table of TRANSFERRED) {
    tables[table.name] = table.isShown
      ? countShown(shown.get(table.name) ?? [])
      : await countRows(tx, table, header.organization, input.boxes.own);
  }
  tables[RAW_MAIL] = mail;
  return tables;
}

function countShown(rows: string[]): Counts[string] {
  const hash = createHash("sha256");
  for (const row of rows) hash.update(row);
  return { rows: rows.length, sha256: hash.digest("hex") };
}

/** An export has all content in its rows. */
async function nothingElsewhere(): Promise<never> {
  throw new Error(`${DAMAGED}: it has content that is in S3.`);
}

async function countRows(
  tx: TransactionSql,
  table: TransferTable,
  organization: string,
  own: Box,
): Promise<Counts[string]> {
  const hash = createHash("sha256");
  let rows = 0;
  for await (const stored of rowsIn(tx, table, organization)) {
    const row = await withContent(table, stored, nothingElsewhere);
    hash.update(withSecrets(table, row, opened(own)));
    rows += 1;
  }
  return { rows, sha256: hash.digest("hex") };
}

/** What a unique index or a foreign key refused, in words. */
function taken(error: unknown): unknown {
  if (!(error instanceof Error && "code" in error)) return error;
  const { table_name: table, detail } = error as { table_name?: string; detail?: string };
  if (error.code === FOREIGN_KEY_VIOLATION) {
    return new Error(
      `A row of ${table} refers to a row that is not of this organization. The export was forged or damaged. Nothing was imported.`,
    );
  }
  if (error.code !== UNIQUE_VIOLATION) return error;
  const [, value = ""] = /=\((.*)\) already exists/.exec(detail ?? "") ?? [];
  if (table === "organizations") {
    return new Error(`The organization ${value} is here already. Rename the one that is here, or export another one.`);
  }
  if (table === "inboxes") {
    return new Error(`The address ${value} is taken here. An address is never given to another organization.`);
  }
  return new Error(`${table} has ${value} already. Nothing was imported.`);
}
