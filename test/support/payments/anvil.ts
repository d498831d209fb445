// A chain for one test file: anvil from npm on a free port of loopback, with one block per transaction.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";

const START_MAX_MS = 20_000;
/** What anvil calls Node's names for processors. */
const PROCESSORS: Record<string, string> = { x64: "amd64", arm64: "arm64" };

export type Anvil = {
  url: string;
  /** Stops all answers until `resume`: connections open, requests wait. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
};

/** The binary comes in a package for each platform. package.json installs the one of Linux on x64, where the tests run in CI. */
function findBinary(): string {
  const platform = `@foundry-rs/anvil-${process.platform}-${PROCESSORS[process.arch]}`;
  const file = process.platform === "win32" ? "anvil.exe" : "anvil";
  try {
    return createRequire(import.meta.url).resolve(`${platform}/bin/${file}`);
  } catch (cause) {
    throw new Error(`The test network needs ${platform}: npm install --no-save ${platform}@1.7.1`, { cause });
  }
}

/** @throws Error with what anvil printed, when it does not come up */
export async function startAnvil(chainId: number): Promise<Anvil> {
  const options = ["--host", "127.0.0.1", "--port", "0", "--chain-id", `${chainId}`, "--accounts", "2"];
  // First come, first mined: else what waits is ordered by what it pays for its gas.
  const child = spawn(findBinary(), [...options, "--order", "fifo"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const listening = Promise.withResolvers<string>();
  const refuse = (why: string) => listening.reject(new Error(`anvil ${why}:\n${output}`));
  const keep = (chunk: string) => {
    if (output.includes("Listening on")) return; // from here on it prints every request
    output += chunk;
    const address = /Listening on (127\.0\.0\.1:\d+)/.exec(output)?.[1];
    if (address) listening.resolve(`http://${address}`);
  };
  child.stdout.setEncoding("utf8").on("data", keep);
  child.stderr.setEncoding("utf8").on("data", keep);
  child.once("error", (error) => refuse(`did not start (${error.message})`));
  const exited = once(child, "exit").then(() => refuse("ended"), refuse);
  const impatient = setTimeout(() => refuse(`was not ready after ${START_MAX_MS} ms`), START_MAX_MS);
  const killAtExit = () => child.kill("SIGKILL");
  process.once("exit", killAtExit);
  async function stop(): Promise<void> {
    process.off("exit", killAtExit);
    child.kill("SIGKILL"); // there is nothing to keep, and a paused one hears nothing else
    await exited;
  }
  try {
    const url = await listening.promise;
    return { url, pause: () => child.kill("SIGSTOP"), resume: () => child.kill("SIGCONT"), stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(impatient);
  }
}
