// Writes one organization into a folder, as it is at one moment, while the service runs.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TransactionSql } from "postgres";
import { openDatabase } from "../client.ts";
import { withFullDisk } from "../full-disk.ts";
import { readApplied, VERSION } from "../migrate.ts";
import {
  type Box,
  type Counts,
  endCode,
  FORMAT,
  type Header,
  KEY_CHECK,
  type Line,
  type LoadContent,
  lineOf,
  MAIL_FILE,
  opened,
  type RawMail,
  ROWS_FILE,
  resealed,
  rowsIn,
  withContent,
  withSecrets,
} from "./format.ts";
import { toMbox } from "./mbox.ts";
import { RAW_MAIL, TRANSFERRED, type TransferTable } from "./tables.ts";

const PRIVATE_FOLDER_MODE = 0o700;
const PRIVATE_FILE_MODE = 0o600;

export type Exported = { folder: string; organization: string; rows: number; mails: number };
type Input = {
  url: string;
  schema: string;
  folder: string;
  /** Id or name. */
  organization: string;
  defaultDomain: string;
  /** Of ENCRYPTION_KEY, and of the export key. */
  boxes: { own: Box; transfer: Box };
  load: LoadContent;
  report: (line: string) => void;
};
type Files = { rows: FileHandle; mail: FileHandle };

/**
 * Writes `<folder>.partial` first, so that a folder with the name is always whole.
 * @throws Error if the folder exists, or the organization does not
 */
export async function exportOrganization(input: Input): Promise<Exported> {
  const { url, schema, folder } = input;
  if (existsSync(folder)) throw new Error(`${folder} exists. Name another folder, or remove it first.`);
  const partial = `${folder}.partial`;
  const { sql, close } = openDatabase({ url, schema, poolSize: 2 });
  try {
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { mode: PRIVATE_FOLDER_MODE });
    const files = {
      rows: await open(join(partial, ROWS_FILE), "wx", PRIVATE_FILE_MODE),
      mail: await open(join(partial, MAIL_FILE), "wx", PRIVATE_FILE_MODE),
    };
    const done = await sql
      .begin("isolation level repeatable read read only", (tx) => writeAll(tx, files, input))
      .finally(() => Promise.all([files.rows.close(), files.mail.close()]));
    await rename(partial, folder);
    return { folder, ...done };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw withFullDisk(error, folder);
  } finally {
    await close();
  }
}

async function writeAll(tx: TransactionSql, files: Files, input: Input) {
  await tx`set local timezone = 'UTC'`;
  const header = await headerOf(tx, input);
  const write = (line: Line) => files.rows.appendFile(lineOf(line));
  await write({ header });
  const tables: Counts = {};
  for (const table of TRANSFERRED) {
    tables[table.name] = await writeTable(tx, { ...input, table, organization: header.organization }, write);
    input.report(`${table.name}: ${tables[table.name]?.rows} rows`);
  }
  tables[RAW_MAIL] = await writeMail(tx, { organization: header.organization, load: input.load }, files.mail, write);
  await write({ end: { tables, mac: endCode(input.boxes.transfer, tables) } });
  await Promise.all([files.rows.sync(), files.mail.sync()]);
  const rows = Object.values(tables).reduce((sum, each) => sum + each.rows, 0);
  return { organization: header.name, rows, mails: tables[RAW_MAIL].rows };
}

async function headerOf(tx: TransactionSql, { organization, schema, boxes, defaultDomain }: Input): Promise<Header> {
  const [found, ...more] = await tx<{ id: string; name: string; now: Date }[]>`
    select id, name, now() from organizations where id::text = ${organization}
      or (name = ${organization} and not exists (select from organizations where id::text = ${organization}))`;
  if (more.length > 0) throw new Error(`Several organizations have the name ${organization}. Name one by its id.`);
  if (!found) throw new Error(`There is no organization ${organization}. Run organizations list.`);
  const { newest } = await readApplied(tx, schema);
  return {
    format: FORMAT,
    version: VERSION,
    migration: newest,
    organization: found.id,
    name: found.name,
    default_domain: defaultDomain,
    key_check: boxes.transfer.mac(KEY_CHECK).toString("hex"),
    created_at: found.now.toISOString(),
  };
}

type Writing = Pick<Input, "organization" | "boxes" | "load"> & { table: TransferTable };

async function writeTable(
  tx: TransactionSql,
  { table, organization, boxes, load }: Writing,
  write: (line: Line) => Promise<void>,
) {
  const hash = createHash("sha256");
  let rows = 0;
  for await (const stored of rowsIn(tx, table, organization)) {
    const row = await withContent(table, stored, load);
    hash.update(withSecrets(table, row, opened(boxes.own)));
    await write({ table: table.name, row: withSecrets(table, row, resealed(boxes.own, boxes.transfer)) });
    rows += 1;
  }
  return { rows, sha256: hash.digest("hex") };
}

/** One mail is in memory at a time. */
async function writeMail(
  tx: TransactionSql,
  { organization, load }: Pick<Input, "organization" | "load">,
  file: FileHandle,
  write: (line: Line) => Promise<void>,
) {
  const hash = createHash("sha256");
  let rows = 0;
  const query = tx<{ message_id: string; bytes: Buffer | null; blob: string | null; created_at: Date }[]>`
    select r.message_id, r.bytes, r.blob, m.created_at from raw_messages r
    join (select id, created_at from messages union all select id, created_at from trashed_messages) m on m.id = r.message_id
    where r.organization_id = ${organization} order by r.message_id`;
  for await (const [mail] of query.cursor(1)) {
    if (!mail) continue;
    const { message_id } = mail;
    const bytes = mail.bytes ?? (await load(organization, mail.blob ?? ""));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const row: RawMail = { message_id, octets: bytes.length, sha256 };
    hash.update(`${message_id} ${sha256}\n`);
    await file.appendFile(toMbox(bytes, mail.created_at));
    await write({ table: RAW_MAIL, row: JSON.stringify(row) });
    rows += 1;
  }
  return { rows, sha256: hash.digest("hex") };
}
