// Turns every error of the command into one sentence and an exit code.
import { TRPCClientError } from "@trpc/client";
import { CommanderError } from "commander";
import { serviceError } from "../index.ts";
import { EXIT, type ExitCode, exitOfStatus } from "./exit-codes.ts";

const CAUSES_MAX = 10;
/** Codes of the system and of Node's `fetch` for a connection that fails. */
const NETWORK =
  /^(E(?!RR_)[A-Z]+|UND_ERR_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_\w+|ERR_TLS_\w+|ERR_SSL_\w+)$/;

/** An error with its own exit code. The message says what happened, then what to do. */
export class CommandProblem extends Error {
  readonly exit: ExitCode;

  constructor(exit: ExitCode, message: string) {
    super(message);
    this.name = "CommandProblem";
    this.exit = exit;
  }
}

export type Described = { exit: ExitCode; text: string };

/** The error, its cause, the cause of that, and so on. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let link = error; link instanceof Error && chain.length < CAUSES_MAX; link = link.cause) chain.push(link);
  return chain;
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function httpStatus(error: unknown): number | undefined {
  if (!(error instanceof TRPCClientError)) return undefined;
  const response: unknown = error.meta?.response;
  return response instanceof Response ? response.status : undefined;
}

/** A refusal of the service: its message, what to do, its code for programs, and the fields that are wrong. */
function describeRefusal(error: unknown): Described | undefined {
  const refused = serviceError(error);
  if (!refused) return undefined;
  const issues = (refused.issues ?? []).map(({ path, message }) => `\n  ${path}: ${message}`).join("");
  return {
    exit: exitOfStatus(httpStatus(error)),
    text: `${refused.message} ${refused.fix} (${refused.code})${issues}`,
  };
}

/** @param url the service that was called, if one is known */
export function describeProblem(error: unknown, url?: string): Described {
  if (error instanceof CommandProblem) return { exit: error.exit, text: error.message };
  if (error instanceof CommanderError) {
    // Commander has already printed its message, or the help that was asked for.
    return { exit: error.exitCode === 0 ? EXIT.ok : EXIT.usage, text: "" };
  }
  const refusal = describeRefusal(error);
  if (refusal) return refusal;
  const chain = chainOf(error);
  const service = url ?? "the service";
  if (chain.some(({ name }) => name === "TimeoutError")) {
    return { exit: EXIT.timeout, text: `No answer from ${service} in time. Check that it is running, then repeat.` };
  }
  const status = httpStatus(error);
  if (status !== undefined) {
    const text = `${service} answered ${status}, not as Mailberth does. Check the URL, and proxies before the service.`;
    return { exit: exitOfStatus(status), text };
  }
  const network = chain.map(codeOf).find((code) => code !== undefined && NETWORK.test(code));
  if (chain.some(({ message }) => message === "fetch failed") || network !== undefined) {
    const why = network ?? chain.at(-1)?.message;
    return {
      exit: EXIT.unavailable,
      text: `Cannot reach ${service}: ${why}. Check the URL and that the service runs.`,
    };
  }
  return { exit: EXIT.error, text: chain[0]?.message ?? String(error) };
}
