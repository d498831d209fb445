// A database on a small disk that a test can fill: a tablespace in a tmpfs. The server's write-ahead log is elsewhere.
import { execFileSync } from "node:child_process";
import { closeSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { connect } from "#db/client.ts";
import type { TestDatabase, TestServer } from "./database-server.ts";

const SIZE_MIB = 64;
const CHUNK_BYTES = 64 * 1024;
const PAGE_BYTES = 4_096;

export type SmallDisk = TestDatabase & {
  /** Takes all space that is left. */
  fill(): void;
  /** Gives it back. */
  free(): void;
};

/** Why there can be no such disk here; undefined: there can. */
export function whyNoSmallDisk(): string | undefined {
  return process.env.DATABASE_URL ? "the tests use a given PostgreSQL server" : whyNoTinyDisk();
}

/** Why no disk can be mounted here; undefined: one can. */
export function whyNoTinyDisk(): string | undefined {
  const folder = execFileSync("mktemp", ["-d"], { encoding: "utf8" }).trim();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", [folder]);
    return undefined;
  } catch {
    return "this user cannot mount a tmpfs";
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A folder on a disk of its own, so small that few files fill it. */
export async function mountTinyDisk(kib: number): Promise<{ folder: string; unmount(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-tiny-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", folder]);
  return {
    folder,
    async unmount() {
      // Also while a file is open there, as after a test that timed out.
      execFileSync("umount", ["--lazy", folder]);
      await rm(folder, { recursive: true });
    },
  };
}

export async function openSmallDisk({ adminUrl, template }: TestServer): Promise<SmallDisk> {
  const sql = connect(adminUrl, { max: 1, fetch_types: false });
  const [setting] = await sql<[{ folder: string }]>`select current_setting('data_directory') as folder`;
  const { uid, gid } = statSync(setting.folder);
  const disk = await mkdtemp(join(tmpdir(), "mailberth-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE_MIB}m,mode=755`, "tmpfs", disk]);
  await chown(disk, uid, gid);
  const filler = join(disk, "filler");
  const name = basename(disk).replaceAll(/\W/g, "_").toLowerCase();
  await sql.unsafe(`create tablespace ${name} location '${disk}'`);
  // By default the copy is files with holes, whose pages a checkpoint writes later. On a full disk that checkpoint fails, and
  // with it `drop database` of the tests beside this one.
  await sql.unsafe(`create database ${name} template ${template} tablespace ${name} strategy file_copy`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    fill() {
      const file = openSync(filler, "a");
      for (let bytes = CHUNK_BYTES; bytes >= PAGE_BYTES; ) if (!hasWritten(file, bytes)) bytes /= 2;
      closeSync(file);
    },
    free: () => rmSync(filler, { force: true }),
    async drop() {
      await sql.unsafe(`drop database ${name} with (force)`);
      await sql.unsafe(`drop tablespace ${name}`);
      await sql.end();
      execFileSync("umount", [disk]);
      await rm(disk, { recursive: true, force: true });
    },
  };
}

function hasWritten(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) === bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") return false;
    throw error;
  }
}
