// Which service a command calls, with which key: from its options, the environment, or the saved profile.
import type { Readable, Writable } from "node:stream";
import type { Command } from "commander";
import { type Client, createClient } from "../index.ts";
import { EXIT } from "./exit-codes.ts";
import { CommandProblem } from "./problem.ts";
import { readProfile } from "./profile.ts";

const CALL_MAX_MS = 60_000;
const NO_URL =
  "No service is named. Run `mailberth enroll --url <url> <enrollment key>` once, or set MAILBERTH_URL and MAILBERTH_KEY.";
const NO_KEY = "No agent key is given. Run `mailberth enroll <enrollment key>` once, or set MAILBERTH_KEY.";

export type Environment = NodeJS.ProcessEnv;

/** What the command has from the process that runs it. */
export type Shell = {
  environment: Environment;
  stdin: Readable;
  stdout: Writable & { isTTY?: boolean };
  stderr: NodeJS.WritableStream;
  /** Aborts when the user interrupts the command. */
  stop: AbortSignal;
  /** The service that was called last, for messages. */
  calls(url: string): void;
};

export type GlobalOptions = { url?: string; key?: string; json?: boolean };

export type Session = { shell: Shell; url: string; key: string; client: Client };

/** @throws CommandProblem (usage) if it is no http or https URL */
export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    const message = `${JSON.stringify(text)} is no URL of a service. Write it as https://mail.example.com.`;
    throw new CommandProblem(EXIT.usage, message);
  }
  return url.href.replace(/\/+$/, "");
}

/** The URL from the options or the environment, without the profile. */
export function namedUrl(shell: Shell, options: GlobalOptions): string | undefined {
  const named = options.url ?? shell.environment.MAILBERTH_URL;
  return named ? readUrl(named) : undefined;
}

/** The service's URL, and the key if there is one. The profile's key is sent only to the profile's service. */
export async function findService(shell: Shell, options: GlobalOptions): Promise<{ url: string; key?: string }> {
  const named = namedUrl(shell, options);
  const key = options.key || shell.environment.MAILBERTH_KEY || undefined;
  if (named !== undefined && key !== undefined) return { url: named, key };
  const profile = await readProfile(shell.environment);
  const saved = profile && readUrl(profile.url);
  const url = named ?? saved;
  if (url === undefined) throw new CommandProblem(EXIT.usage, NO_URL);
  return { url, key: key ?? (url === saved ? profile?.key : undefined) };
}

/** A client whose calls end after a minute, or `waitMs` more, and when the user interrupts. */
export function clientOf(shell: Shell, { url, key }: { url: string; key?: string }, waitMs = 0): Client {
  shell.calls(url);
  return createClient({
    url,
    key,
    fetch: (input, init) => {
      const given = init?.signal ? [init.signal] : [];
      const signal = AbortSignal.any([...given, shell.stop, AbortSignal.timeout(CALL_MAX_MS + waitMs)]);
      return fetch(input, { ...init, signal });
    },
  });
}

/** @throws CommandProblem (usage) if no service or no key is configured */
export async function openSession(shell: Shell, command: Command, waitMs = 0): Promise<Session> {
  const { url, key } = await findService(shell, command.optsWithGlobals<GlobalOptions>());
  if (key === undefined) throw new CommandProblem(EXIT.usage, NO_KEY);
  return { shell, url, key, client: clientOf(shell, { url, key }, waitMs) };
}
