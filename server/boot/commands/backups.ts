// The operators' commands `backup` and `restore`, which work on the whole database, before its schema is current.
import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { getPriority, setPriority } from "node:os";
import { resolve } from "node:path";
import type { Command } from "commander";
import { restoreBackup } from "#db/backup/restore.ts";
import { type Backup, writeBackup } from "#db/backup/write.ts";
import { withFullDisk } from "#db/full-disk.ts";
import type { Settings } from "../../base/env.ts";
import { isMac, mac } from "../../base/macs.ts";
import { secretBox } from "../../base/secrets.ts";
import { encryptionKeyFile, existingKey } from "../encryption-key.ts";
import { bad } from "./options.ts";
import type { Place, Session } from "./session.ts";

const CHECKED = "this key";
/** Of nice(1). */
const BACKUP_NICE = 15;
const PRIVATE_FILE_MODE = 0o600;

/** `withKey`: the file for a copy of the encryption key. */
type BackupOptions = { withKey?: string };

/**
 * Lets mail and calls go first on the machine that they share with a backup; PostgreSQL waits for the backup to read. It lasts until
 * the process ends: a process may not raise its priority again.
 */
export function giveWayToMail(): void {
  if (getPriority() < BACKUP_NICE) setPriority(BACKUP_NICE);
}

/** Neither command makes a key, which no service has. */
function requireKey(settings: Settings, advice: (file: string) => string): void {
  const file = encryptionKeyFile(settings);
  if (!settings.ENCRYPTION_KEY && !existsSync(file)) throw bad(advice(file));
}

function checkBackup(settings: Settings, file: string, { withKey }: BackupOptions): void {
  if (withKey !== undefined && settings.ENCRYPTION_KEY) {
    throw bad(
      "--with-key copies the file encryption.key, and the key of this service is the setting ENCRYPTION_KEY. Leave out --with-key, and keep the value of the setting where a restore can get it.",
    );
  }
  if (withKey !== undefined && [file, `${file}.partial`].map((path) => resolve(path)).includes(resolve(withKey))) {
    throw bad("--with-key must name another file than the backup.");
  }
  requireKey(
    settings,
    (missing) =>
      `A backup needs the encryption key of the service, and there is no file ${missing}. Set DATA_DIR to the data folder of the service, or ENCRYPTION_KEY to its key.`,
  );
}

function checkRestore(settings: Settings): void {
  requireKey(
    settings,
    (missing) =>
      `A restore needs the encryption key of the service that made the backup, and there is no file ${missing}. Copy that service's encryption.key, or the file that \`backup --with-key\` wrote, to ${missing}. If it had its key in ENCRYPTION_KEY, set that to the same value.`,
  );
}

/** @returns `restore_needs`: where the key of the backup is, the last line that the command prints */
async function backup(
  place: Place,
  file: string,
  { withKey }: BackupOptions,
): Promise<Backup & { restore_needs: string }> {
  const { settings, directUrl, report } = place;
  const key = existingKey(settings);
  const keyCheck = mac(secretBox(key), "backup", CHECKED);
  const input = { url: directUrl, schema: settings.DATABASE_SCHEMA, file, keyCheck, report };
  const from = settings.ENCRYPTION_KEY ? "the setting ENCRYPTION_KEY" : resolve(encryptionKeyFile(settings));
  if (withKey === undefined) return { ...(await writeBackup(input)), restore_needs: from };
  await copyKey(key, withKey);
  try {
    return { ...(await writeBackup(input)), restore_needs: resolve(withKey) };
  } catch (error) {
    await rm(withKey);
    throw error;
  }
}

/** Fails if the file exists, also as a link. */
async function copyKey(key: Buffer, file: string): Promise<void> {
  const target = await open(file, "wx", PRIVATE_FILE_MODE).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? bad(`${file} exists. Name another file, or remove it first.`) : error;
  });
  try {
    await target.writeFile(`${key.toString("base64")}\n`);
    await target.sync();
  } catch (error) {
    await rm(file);
    throw withFullDisk(error, file);
  } finally {
    await target.close();
  }
}

function restore({ settings, log, directUrl, report }: Place, file: string): Promise<object> {
  const secrets = secretBox(existingKey(settings));
  const isOwnKey = (code: string) => isMac(secrets, "backup", { text: CHECKED, code });
  return restoreBackup({ url: directUrl, schema: settings.DATABASE_SCHEMA, log, file, report, isOwnKey });
}

export function addBackupCommands(program: Command, { onDatabase }: Session): void {
  program
    .command("backup")
    .argument("<file>", "a new file; keep it private")
    .option("--with-key <file>", "also copy the key in encryption.key to a new file; keep it in another place")
    .summary("write all data into one file, while the service runs")
    .description(
      "write all data into one file, as it is at one moment, while the service runs; keep ENCRYPTION_KEY (or encryption.key in DATA_DIR) in another place: both are needed to restore",
    )
    .action((file: string, options: BackupOptions) =>
      onDatabase(
        (place) => backup(place, file, options),
        (settings) => checkBackup(settings, file, options),
      ),
    );
  program
    .command("restore")
    .argument("<file>", "that `backup` has written, of this version or an older one")
    .description("fill an empty database")
    .action((file: string) => onDatabase((place) => restore(place, file), checkRestore));
}
