// Says what to do when the disk of a file is full.

const FULL = new Set(["ENOSPC", "EDQUOT"]);

/** @returns an error that names the file and the remedy, if its disk or quota is full; otherwise the error as it is */
export function withFullDisk(error: unknown, file: string): unknown {
  const isFull = error instanceof Error && "code" in error && FULL.has(String(error.code));
  if (!isFull) return error;
  return new Error(
    `The disk of ${file} is full, and nothing was kept of it. Free space, or name a place on another disk, and run the command again.`,
    { cause: error },
  );
}
