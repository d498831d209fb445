// Restores a backup into an empty database: all of it, or nothing.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import type { Logger } from "pino";
import type { Sql, TransactionSql } from "postgres";
import { openDatabase } from "../client.ts";
import { migrate, NEWEST_MIGRATION, readApplied, refuseEarlier, VERSION } from "../migrate.ts";
import { FORMAT, type Frame, framesOf, type Header, type TableEnd, type TableStart } from "./format.ts";
import { tablesOf } from "./tables.ts";

export type Restored = { file: string; created_at: string; version: string; tables: number; rows: number };
type Input = {
  url: string;
  schema: string;
  file: string;
  /** Whether a code was made with this ENCRYPTION_KEY. */
  isOwnKey: (check: string) => boolean;
  report: (line: string) => void;
  log: Logger;
};

/**
 * Migrates the database to the schema of the backup, writes its rows in one transaction, compares counts and hashes, and
 * migrates to the current schema.
 * @throws Error if the file is cut short or damaged, of a newer version or another key; if the database has rows
 */
export async function restoreBackup(input: Input): Promise<Restored> {
  const { url, schema, file, log } = input;
  const frames = framesOf(pipelined(file));
  const header = await readHeader(frames, input);
  const { sql, close } = openDatabase({ url, schema, poolSize: 1 });
  const counts = { tables: 0, rows: 0 };
  try {
    await sql.begin((tx) => refuseRows(sql, tx));
    await migrate({ url, schema, log, upTo: header.migration });
    const { newest } = await readApplied(sql, schema);
    if (newest !== header.migration) {
      throw new Error("The database has a newer schema than the backup. Restore into a new database.");
    }
    await sql.begin(async (tx) => {
      await refuseRows(sql, tx);
      for await (const table of tablesIn(sql, tx, frames)) {
        input.report(`${table.name}: ${table.rows} rows`);
        counts.tables += 1;
        counts.rows += table.rows;
      }
    });
    await sql`analyze`;
  } finally {
    await close();
  }
  await migrate({ url, schema, log });
  return { file, created_at: header.created_at, version: header.version, ...counts };
}

function pipelined(file: string): Readable {
  const decompress = createZstdDecompress();
  // A failure of the file or of the decompression ends the stream that is read, with that error.
  void pipeline(createReadStream(file), decompress).catch((error) => decompress.destroy(error));
  return decompress;
}

async function readHeader(frames: AsyncGenerator<Frame>, { isOwnKey }: Input): Promise<Header> {
  const header = json<Header>(await next(frames), "H");
  if (header.format !== FORMAT) throw new Error(`This is ${VERSION}, which does not read ${header.format}.`);
  if (header.migration > NEWEST_MIGRATION) {
    throw new Error(
      `The backup is of Mailberth ${header.version}, and this is ${VERSION}. Restore it with ${header.version}.`,
    );
  }
  refuseEarlier(header.migration, "backup");
  if (!isOwnKey(header.key_check)) {
    throw new Error(
      "The backup was made with another ENCRYPTION_KEY. Set ENCRYPTION_KEY, or copy encryption.key into DATA_DIR, from the service that made it.",
    );
  }
  return header;
}

async function next(frames: AsyncGenerator<Frame>): Promise<Frame> {
  const { value, done } = await frames.next();
  if (done) throw new Error("The backup is cut short.");
  return value;
}

function json<Content>({ kind, bytes }: Frame, expected: Frame["kind"]): Content {
  if (kind !== expected) throw new Error("The file is not a backup of Mailberth, or it is damaged.");
  return JSON.parse(bytes.toString());
}

/** Also locks the tables until the transaction ends. */
async function refuseRows(sql: Sql, tx: TransactionSql): Promise<void> {
  for (const { table } of await tablesOf(tx)) {
    await tx`lock table ${sql(table)} in exclusive mode`;
    const [row] = await tx`select 1 from ${sql(table)} limit 1`;
    if (row) throw new Error(`The database is not empty: ${table} has rows. Restore into a new database.`);
  }
}

/** Writes each table as it is read. @yields its name and count, which are those of the backup */
async function* tablesIn(sql: Sql, tx: TransactionSql, frames: AsyncGenerator<Frame>) {
  for (let frame = await next(frames); frame.kind !== "Z"; frame = await next(frames)) {
    const start = json<TableStart>(frame, "T");
    const hash = createHash("sha256");
    const held: { end?: TableEnd } = {};
    const copy = await tx`copy ${sql(start.table)} (${sql(start.columns)}) from stdin`.writable();
    await pipeline(Readable.from(rowsIn(frames, hash, held)), copy);
    const [counted] = await tx<{ rows: number }[]>`select count(*) as rows from ${sql(start.table)}`;
    if (counted?.rows !== held.end?.rows || hash.digest("hex") !== held.end?.sha256) {
      throw new Error(`The backup is damaged: the rows of ${start.table} differ from the ones that were written.`);
    }
    yield { name: start.table, rows: counted?.rows ?? 0 };
  }
}

async function* rowsIn(
  frames: AsyncGenerator<Frame>,
  hash: ReturnType<typeof createHash>,
  held: { end?: TableEnd },
): AsyncGenerator<Buffer> {
  for (let frame = await next(frames); ; frame = await next(frames)) {
    if (frame.kind !== "D") {
      held.end = json<TableEnd>(frame, "E");
      return;
    }
    hash.update(frame.bytes);
    yield frame.bytes;
  }
}
