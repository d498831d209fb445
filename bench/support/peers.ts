// Where the peers are, and how they get there: installed on first use into bench/peers/node_modules, never with the product.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const PEERS = fileURLToPath(new URL("../peers", import.meta.url));
const INSTALLED_FILE = join(PEERS, "node_modules/.package-lock.json");
/** Where Debian's packages put programs that are not on everyone's path. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/usr/local/sbin"];

/** Runs a program to its end. @returns what it printed @throws with what it printed when it fails */
export async function runOnce(
  command: [string, ...string[]],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const [program, ...args] = command;
  const child = spawn(program, args, { cwd: options.cwd, env: { ...process.env, ...options.env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${output}`);
  return output;
}

export async function installPeers(): Promise<void> {
  if (existsSync(INSTALLED_FILE)) return;
  process.stderr.write("installing the peers into bench/peers/node_modules\n");
  await runOnce(["npm", "ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: PEERS });
}

/** The path of a program of the system; undefined when it is not installed. */
export function findProgram(name: string, folders: string[] = []): string | undefined {
  const path = (process.env.PATH ?? "").split(delimiter);
  return [...path, ...SYSTEM_FOLDERS, ...folders].map((folder) => join(folder, name)).find((file) => existsSync(file));
}
