// The key that seals secrets at rest: ENCRYPTION_KEY, or one made on first use and kept in the data folder.
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../base/env.ts";
import type { Logger } from "../base/log.ts";

const KEY_BYTES = 32;
const FILE = "encryption.key";
const PRIVATE_FILE_MODE = 0o600;

/**
 * @returns 32 bytes
 * @throws when the file in the data folder is not such a key: a new one would make every stored secret unreadable
 */
export function encryptionKey(settings: Settings, log: Logger): Buffer {
  if (settings.ENCRYPTION_KEY) return settings.ENCRYPTION_KEY;
  const file = join(settings.DATA_DIR, FILE);
  if (!existsSync(file)) makeKey(settings.DATA_DIR, file, log);
  const key = Buffer.from(readFileSync(file, "utf8").trim(), "base64");
  if (key.length !== KEY_BYTES) throw new Error(`${file} does not hold ${KEY_BYTES} bytes in base64`);
  return key;
}

/** Two processes may come here at once: the link is made by one of them, and both read what is linked. */
function makeKey(folder: string, file: string, log: Logger): void {
  mkdirSync(folder, { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString("base64")}\n`, { mode: PRIVATE_FILE_MODE });
  try {
    linkSync(draft, file);
    log.info({ file }, "made an encryption key; keep it with your backups");
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(draft);
  }
}
