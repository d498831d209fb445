// The operators' commands `backup` and `restore`, which work on the whole database, before its schema is current.
import { getPriority, setPriority } from "node:os";
import { type Restored, restoreBackup } from "#db/backup/restore.ts";
import { type Backup, writeBackup } from "#db/backup/write.ts";
import type { Settings } from "../../base/env.ts";
import type { Logger } from "../../base/log.ts";
import { isMac, mac } from "../../base/macs.ts";
import { secretBox } from "../../base/secrets.ts";
import { encryptionKey } from "../encryption-key.ts";

const CHECKED = "this key";
/** Of nice(1). */
const BACKUP_NICE = 15;

type Input = { settings: Settings; log: Logger; directUrl: string; file: string; report: (line: string) => void };

/**
 * Lets mail and calls go first on the machine that they share with a backup; PostgreSQL waits for the backup to read. It lasts until
 * the process ends: a process may not raise its priority again.
 */
export function giveWayToMail(): void {
  if (getPriority() < BACKUP_NICE) setPriority(BACKUP_NICE);
}

function backup({ settings, log, directUrl, file, report }: Input): Promise<Backup> {
  const keyCheck = mac(secretBox(encryptionKey(settings, log)), "backup", CHECKED);
  return writeBackup({ url: directUrl, schema: settings.DATABASE_SCHEMA, file, keyCheck, report });
}

function restore({ settings, log, directUrl, ...input }: Input): Promise<Restored> {
  const secrets = secretBox(encryptionKey(settings, log));
  const isOwnKey = (code: string) => isMac(secrets, "backup", { text: CHECKED, code });
  return restoreBackup({ ...input, url: directUrl, schema: settings.DATABASE_SCHEMA, log, isOwnKey });
}

export const DATABASE_COMMANDS: Record<string, (input: Input) => Promise<object>> = { backup, restore };
