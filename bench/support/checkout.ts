// Another commit of this project, beside which `--against` measures: a git worktree in a temporary folder.
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { owe } from "./children.ts";
import { runOnce } from "./peers.ts";
import { type Checkout, ROOT } from "./site.ts";

/**
 * @param folder in which the worktree is made
 * @param commit anything that git understands as one
 */
export async function openCheckout(folder: string, commit: string): Promise<Checkout & { close(): Promise<void> }> {
  const git = (...args: string[]) => runOnce(["git", ...args], { cwd: ROOT });
  const id = (await git("rev-parse", "--short", `${commit}^{commit}`)).trim();
  const root = join(folder, `at-${id}`);
  await git("worktree", "add", "--detach", root, id);
  const close = owe(async () => void (await git("worktree", "remove", "--force", root)));
  const lock = (at: string) => readFile(join(at, "package-lock.json"), "utf8");
  // Modules find their own dependencies by their real path, so that a link is enough.
  if ((await lock(root)) === (await lock(ROOT))) await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
  else {
    process.stderr.write(`installing the packages of ${id}\n`);
    // Not `npm ci`: it refuses the locks of commits before 166a6e7, which lack packages for other platforms.
    await runOnce(["npm", "install", "--no-audit", "--no-fund"], { cwd: root });
  }
  return { root, name: `Mailberth at ${id}`, close };
}

/** The commit that is measured, with `+` if files differ from it. */
export async function ownCommit(): Promise<string> {
  const id = (await runOnce(["git", "rev-parse", "--short", "HEAD"], { cwd: ROOT })).trim();
  const changed = await runOnce(["git", "status", "--porcelain", "--untracked-files=no"], { cwd: ROOT });
  return changed.trim() ? `${id}+` : id;
}
