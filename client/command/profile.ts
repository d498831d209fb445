// The profile that `enroll` saves: the service's URL and the agent key, in a file that only its owner can read.
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { EXIT } from "./exit-codes.ts";
import { CommandProblem } from "./problem.ts";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Bits of the group and of others. */
const OTHERS_MASK = 0o077;
const PROFILE_MAX_BYTES = 65_536;

export type Profile = { url: string; key: string };
type Environment = NodeJS.ProcessEnv;

/** `$XDG_CONFIG_HOME/mailberth/profile.json`, by default in `~/.config`. */
function profilePath(environment: Environment): string {
  const folder = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), ".config");
  return join(folder, "mailberth", "profile.json");
}

function refuse(path: string, why: string): never {
  throw new CommandProblem(EXIT.error, `The profile ${path} ${why}`);
}

/**
 * The saved profile, or undefined if there is none.
 * @throws CommandProblem if other users can read the file, or it is not a profile
 */
export async function readProfile(environment: Environment): Promise<Profile | undefined> {
  const path = profilePath(environment);
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    return refuse(path, `cannot be opened: ${error.code}. Correct its permissions, or delete it and enroll again.`);
  });
  if (!file) return undefined;
  try {
    const { mode, size } = await file.stat();
    if (process.platform !== "win32" && (mode & OTHERS_MASK) !== 0) {
      refuse(path, `can be read by other users. Run \`chmod 600 ${path}\`; if they may have read it, enroll again.`);
    }
    if (size > PROFILE_MAX_BYTES) refuse(path, "is too large. Delete it and enroll again.");
    return parseProfile(path, await file.readFile("utf8"));
  } finally {
    await file.close();
  }
}

function parseProfile(path: string, text: string): Profile {
  const broken = "is not valid. Delete it and enroll again.";
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return refuse(path, broken);
  }
  if (typeof parsed !== "object" || parsed === null) return refuse(path, broken);
  const { url, key } = parsed as Record<string, unknown>;
  if (typeof url !== "string" || typeof key !== "string") return refuse(path, broken);
  return { url, key };
}

/** Replaces the profile. A new file takes the place of the old one, so the permissions are always right. */
export async function saveProfile(environment: Environment, profile: Profile): Promise<string> {
  const path = profilePath(environment);
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
  const draft = `${path}.${process.pid}`;
  await rm(draft, { force: true });
  await writeFile(draft, `${JSON.stringify(profile, null, 2)}\n`, { mode: FILE_MODE, flag: "wx" });
  await rename(draft, path);
  return path;
}
