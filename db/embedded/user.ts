// Chooses the user that runs PostgreSQL if the service runs as root, which PostgreSQL refuses.
import { lchownSync, readdirSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { type ServerUser, USE_A_SERVER } from "./binaries.ts";

/**
 * No account has this uid and gid (systemd's table calls 65520 to 65533 unused), and it exists in containers, which
 * often map 65,536 ids.
 */
export const SERVER_UID = 65_529;
/** Earlier versions used this user for the server; other services use it too. */
export const NOBODY = 65_534;
/** initdb needs an account. Its group keeps its files from others of that account: see `initialize`. */
export const INITDB_USER = { uid: NOBODY, gid: SERVER_UID };

/** As root, the server runs as the owner of existing data, or as a separate user. */
export function chooseUser(home: string): ServerUser {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const found = statSync(home, { throwIfNoEntry: false });
  const isForeign = found && found.uid !== 0 && found.uid !== NOBODY;
  return isForeign ? { uid: found.uid, gid: found.gid } : { uid: SERVER_UID, gid: SERVER_UID };
}

/** @throws Error if the user of this process has no account, as of a container that was started with any number for its user */
export function requireAccount(): void {
  try {
    userInfo();
  } catch (cause) {
    const need = `User ${process.getuid?.()} has no entry in /etc/passwd, and PostgreSQL creates no data without one.`;
    throw new Error(`${need} Add the entry, or start as another user. ${USE_A_SERVER}`, { cause });
  }
}

/** Changes the owner of a folder with its content; the folder last, so that an interrupted call can be detected. */
export function giveAll(folder: string, user: NonNullable<ServerUser>): void {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const path of [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))].reverse()) {
    lchownSync(path, user.uid, user.gid);
  }
}
