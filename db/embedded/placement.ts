// The record of a data folder: where its cluster is, and which service owns it.
import { chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const RECORD_FILE = "postgres.json";
const PRIVATE_FILE_MODE = 0o600;

/** `home` is set if the cluster is outside the data folder; `owner` while a service runs, and after it was killed. */
export type Placement = { home?: string; owner?: { pid: number; identity: string } };

export function readPlacement(dataDir: string): Placement {
  const file = join(dataDir, RECORD_FILE);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

export function writePlacement(dataDir: string, placement: Placement): void {
  const file = join(dataDir, RECORD_FILE);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(placement, null, 2)}\n`, { mode: PRIVATE_FILE_MODE });
  if (process.getuid?.() === 0) {
    // The owner of the data folder must be able to start it without root later.
    const { uid, gid } = statSync(dataDir);
    chownSync(draft, uid, gid);
  }
  renameSync(draft, file);
}
