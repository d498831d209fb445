// The operators' commands `backup` and `restore`, which work on the whole database, before its schema is current.
import { getPriority, setPriority } from "node:os";
import type { Command } from "commander";
import { restoreBackup } from "#db/backup/restore.ts";
import { writeBackup } from "#db/backup/write.ts";
import { isMac, mac } from "../../base/macs.ts";
import { secretBox } from "../../base/secrets.ts";
import { encryptionKey } from "../encryption-key.ts";
import type { Place, Session } from "./session.ts";

const CHECKED = "this key";
/** Of nice(1). */
const BACKUP_NICE = 15;

type Act = (place: Place, file: string) => Promise<object>;

/**
 * Lets mail and calls go first on the machine that they share with a backup; PostgreSQL waits for the backup to read. It lasts until
 * the process ends: a process may not raise its priority again.
 */
export function giveWayToMail(): void {
  if (getPriority() < BACKUP_NICE) setPriority(BACKUP_NICE);
}

const backup: Act = ({ settings, log, directUrl, report }, file) => {
  const keyCheck = mac(secretBox(encryptionKey(settings, log)), "backup", CHECKED);
  return writeBackup({ url: directUrl, schema: settings.DATABASE_SCHEMA, file, keyCheck, report });
};

const restore: Act = ({ settings, log, directUrl, report }, file) => {
  const secrets = secretBox(encryptionKey(settings, log));
  const isOwnKey = (code: string) => isMac(secrets, "backup", { text: CHECKED, code });
  return restoreBackup({ url: directUrl, schema: settings.DATABASE_SCHEMA, log, file, report, isOwnKey });
};

export function addBackupCommands(program: Command, { onDatabase }: Session): void {
  program
    .command("backup")
    .argument("<file>", "a new file; keep it private")
    .summary("write all data into one file, while the service runs")
    .description(
      "write all data into one file, as it is at one moment, while the service runs; keep ENCRYPTION_KEY (or encryption.key in DATA_DIR) in another place: both are needed to restore",
    )
    .action((file: string) => onDatabase((place) => backup(place, file)));
  program
    .command("restore")
    .argument("<file>", "that `backup` has written, of this version or an older one")
    .description("fill an empty database")
    .action((file: string) => onDatabase((place) => restore(place, file)));
}
