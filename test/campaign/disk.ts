// A small disk for a data folder, which a test can fill: a tmpfs, which only root on Linux can mount.
import { execFileSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const SIZE = "1200m";
const FILLER = "filler";
/** Large pieces first, then one page at a time, until nothing fits. */
const PIECES_BYTES = [1_048_576, 4_096];

export type Disk = {
  /** Takes all space that is free now. */
  fill(): void;
  free(): void;
  unmount(): void;
};

/** @returns undefined where this process cannot mount a file system */
export function mountDisk(folder: string): Disk | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return;
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE},mode=755`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return; // root in a container without the right to mount
  }
  const filler = join(folder, FILLER);
  return {
    fill() {
      const file = openSync(filler, "a");
      for (const bytes of PIECES_BYTES) appendUntilFull(file, Buffer.alloc(bytes));
      closeSync(file);
    },
    free: () => rmSync(filler, { force: true }),
    unmount: () => void execFileSync("umount", ["--lazy", folder], { stdio: "ignore" }),
  };
}

function appendUntilFull(file: number, piece: Buffer): void {
  try {
    while (writeSync(file, piece) > 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
