// Writes all tables into one file, as they are at one moment, while the service runs.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import type { Sql, TransactionSql } from "postgres";
import { openDatabase } from "../client.ts";
import { withFullDisk } from "../full-disk.ts";
import { readApplied, VERSION } from "../migrate.ts";
import { FORMAT, FRAME_MAX_BYTES, frame, type Header, type TableStart } from "./format.ts";
import { tablesOf } from "./tables.ts";

/** Rows of one frame. */
const DATA_BYTES = 256 * 1024;
const PRIVATE_FILE_MODE = 0o600;
const NOT_HERE =
  "contents of mail and attachments are in S3, and not in this file. Back up the bucket too: docs/guides/storage.md";

/** `in_s3`: contents that are in objects, and so not in the file. */
export type Backup = { file: string; bytes: number; tables: number; rows: number; in_s3: number };
type Input = { url: string; schema: string; file: string; keyCheck: string; report: (line: string) => void };

/** The name of the file until it is whole. */
export function partialOf(file: string): string {
  return `${file}.partial`;
}

/**
 * Writes `<file>.partial` first, so that a file with the name is always whole.
 * @param input.report gets one line for each table
 * @throws Error if the file exists
 */
export async function writeBackup(input: Input): Promise<Backup> {
  const { url, schema, file } = input;
  if (existsSync(file)) throw new Error(`${file} exists. Name another file, or remove it first.`);
  const partial = partialOf(file);
  const { sql, close } = openDatabase({ url, schema, poolSize: 1 });
  const counts = { tables: 0, rows: 0 };
  const left = { in_s3: 0 };
  try {
    await rm(partial, { force: true });
    const target = (await open(partial, "wx", PRIVATE_FILE_MODE)).createWriteStream({ flush: true });
    await inSnapshot(sql, (tx) =>
      pipeline(Readable.from(framesFrom({ sql, tx, left }, input, counts)), createZstdCompress(), target),
    );
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw withFullDisk(error, file);
  } finally {
    await close();
  }
  if (left.in_s3 > 0) input.report(`${left.in_s3} ${NOT_HERE}`);
  return { file, bytes: (await stat(file)).size, ...counts, ...left };
}

/**
 * Reads in one transaction. A failure closes the connection immediately: `ROLLBACK` would wait for the rest of the answer to
 * `COPY`.
 */
async function inSnapshot(sql: Sql, read: (tx: TransactionSql) => Promise<void>): Promise<void> {
  let failure: unknown;
  const reading = sql.begin("isolation level repeatable read read only", (tx) =>
    read(tx).catch(async (error: unknown) => {
      failure = error;
      await sql.end({ timeout: 0 });
    }),
  );
  await reading.catch((error: unknown) => {
    failure ??= error;
  });
  if (failure) throw failure;
}

type Reading = { sql: Sql; tx: TransactionSql; left: { in_s3: number } };

/** Counts the rows of a table, and those whose content is not in it. */
async function countRows({ sql, tx, left }: Reading, { table, columns }: TableStart): Promise<number> {
  const blobs = columns.includes("blob") && columns.includes("bytes") ? sql`count(blob)` : sql`0`;
  const [counted] = await tx<{ rows: number; blobs: number }[]>`
    select count(*) as rows, ${blobs} as blobs from ${sql(table)}`;
  left.in_s3 += counted?.blobs ?? 0;
  return counted?.rows ?? 0;
}

async function* framesFrom(reading: Reading, { keyCheck, schema, report }: Input, counts: typeof NOTHING) {
  const { sql, tx } = reading;
  const { newest } = await readApplied(tx, schema);
  const [moment] = await tx<{ now: Date }[]>`select now()`;
  const header: Header = {
    format: FORMAT,
    version: VERSION,
    migration: newest,
    key_check: keyCheck,
    created_at: moment?.now.toISOString() ?? "",
  };
  yield* frame("H", header);
  for (const table of await tablesOf(tx)) {
    const rows = await countRows(reading, table);
    yield* frame("T", table);
    const hash = createHash("sha256");
    for await (const data of rowsOf(sql, tx, table)) {
      hash.update(data);
      yield* frame("D", data);
    }
    yield* frame("E", { rows, sha256: hash.digest("hex") });
    report(`${table.table}: ${rows} rows`);
    counts.tables += 1;
    counts.rows += rows;
  }
  yield* frame("Z", counts);
}

const NOTHING = { tables: 0, rows: 0 };

/** PostgreSQL sends each row alone. It copies partitioned tables only as a query. */
async function* rowsOf(sql: Sql, tx: TransactionSql, { table, columns }: TableStart): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const row of await tx`copy (select ${sql(columns)} from ${sql(table)}) to stdout`.readable()) {
    held.push(row);
    bytes += row.length;
    if (bytes < DATA_BYTES) continue;
    yield* split(Buffer.concat(held));
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield* split(Buffer.concat(held));
}

function* split(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += FRAME_MAX_BYTES) yield bytes.subarray(at, at + FRAME_MAX_BYTES);
}
