// A small disk for a data folder, which a test can make full: a tmpfs, which only root on Linux can mount and resize.
import { execFileSync } from "node:child_process";
import { statfsSync } from "node:fs";

const SIZE = "2g";
/** What stays free when the disk is full: one page for a file that another process writes just now. */
const LEFT_BYTES = 4_096;

export type Disk = {
  /** Takes all space that is free now. */
  fill(): void;
  free(): void;
  unmount(): void;
};

function mount(folder: string, options: string): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "ignore" });
}

/** @returns undefined where this process cannot mount a file system */
export function mountDisk(folder: string): Disk | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return;
  try {
    mount(folder, `size=${SIZE},mode=755`);
  } catch {
    return; // root in a container without the right to mount
  }
  return {
    fill() {
      const { bsize, blocks, bfree } = statfsSync(folder);
      try {
        mount(folder, `remount,size=${(blocks - bfree) * bsize + LEFT_BYTES}`);
      } catch {
        // More was written since: the next call makes it full.
      }
    },
    free: () => mount(folder, `remount,size=${SIZE}`),
    unmount: () => void execFileSync("umount", ["--lazy", folder], { stdio: "ignore" }),
  };
}
