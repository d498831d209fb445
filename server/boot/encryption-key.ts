// Reads the key for encryption at rest: ENCRYPTION_KEY, or a key generated on first use in the data folder.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { withFullDisk } from "#db/full-disk.ts";
import type { Settings } from "../base/env.ts";
import type { Logger } from "../base/log.ts";

const KEY_BYTES = 32;
const FILE = "encryption.key";
const PRIVATE_FILE_MODE = 0o600;

/** The file of a key that no setting has. */
export function encryptionKeyFile({ DATA_DIR }: Settings): string {
  return join(DATA_DIR, FILE);
}

/**
 * @returns 32 bytes
 * @throws if the file in the data folder is not such a key: a new one would make every stored secret unreadable
 */
export function encryptionKey(settings: Settings, log: Logger): Buffer {
  const file = encryptionKeyFile(settings);
  if (!settings.ENCRYPTION_KEY && !existsSync(file)) makeKey(settings.DATA_DIR, file, log);
  return existingKey(settings);
}

/**
 * The same for a program that needs the key of a service that has run: never makes one.
 * @throws if there is none
 */
export function existingKey(settings: Settings): Buffer {
  if (settings.ENCRYPTION_KEY) return settings.ENCRYPTION_KEY;
  const file = encryptionKeyFile(settings);
  const key = Buffer.from(readFileSync(file, "utf8").trim(), "base64");
  if (key.length !== KEY_BYTES) throw new Error(`${file} does not hold ${KEY_BYTES} bytes in base64`);
  return key;
}

/**
 * Writes the key into a new file, for its owner only.
 * @throws Error with the code EEXIST if the file exists, also as a link
 */
export function copyKeyTo(settings: Settings, file: string): void {
  const key = existingKey(settings);
  const target = openSync(file, "wx", PRIVATE_FILE_MODE);
  try {
    writeFileSync(target, textOf(key));
    fsyncSync(target);
  } catch (error) {
    rmSync(file, { force: true });
    throw withFullDisk(error, file);
  } finally {
    closeSync(target);
  }
}

/** What the file has. */
function textOf(key: Buffer): string {
  return `${key.toString("base64")}\n`;
}

/** Two processes may do this concurrently: only one creates the link, and both read the linked file. */
function makeKey(folder: string, file: string, log: Logger): void {
  mkdirSync(folder, { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, textOf(randomBytes(KEY_BYTES)), { mode: PRIVATE_FILE_MODE });
  try {
    linkSync(draft, file);
    log.info({ file }, "generated an encryption key; keep a copy of it beside your backups, in another place");
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(draft);
  }
}
