// The operators' commands `backup` and `restore`, which work on the whole database, before its schema is current.
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { restoreBackup } from "#db/backup/restore.ts";
import { type Backup, partialOf, writeBackup } from "#db/backup/write.ts";
import type { Settings } from "../../base/env.ts";
import { isMac, mac } from "../../base/macs.ts";
import { secretBox } from "../../base/secrets.ts";
import { copyKeyTo, encryptionKeyFile, existingKey } from "../encryption-key.ts";
import { bad } from "./options.ts";
import type { Place, Session } from "./session.ts";

/** Never change it: backups hold the code of these words, by which a restore knows its key. */
const CHECKED = "this key";

/** `withKey`: the file for a copy of the encryption key. */
type BackupOptions = { withKey?: string };

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
  if (withKey !== undefined && [file, partialOf(file)].map((path) => resolve(path)).includes(resolve(withKey))) {
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
  try {
    copyKeyTo(settings, withKey);
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw isTaken ? bad(`${withKey} exists. Name another file, or remove it first.`) : error;
  }
  try {
    return { ...(await writeBackup(input)), restore_needs: resolve(withKey) };
  } catch (error) {
    // Why the backup failed is the error to show, also if the copy stays.
    await rm(withKey, { force: true }).catch(() => report(`The copy of the key is still in ${withKey}: remove it.`));
    throw error;
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
