// Calls the procedure of a tool with the request's context, as REST and tRPC do.

import { createHash } from "node:crypto";
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { AnyTRPCRouter } from "@trpc/server";
import { ISSUES_MAX } from "../../base/errors/body.ts";
import { invalidField, ServiceError } from "../../base/errors.ts";
import { callProcedure } from "../../procedures/chain.ts";
import { errorBody, refusalOf } from "../../procedures/errors.ts";
import { refuseUnknown, unknownField } from "../../procedures/fields.ts";
import type { RequestContext } from "../../procedures/procedures.ts";
import { flagsOf } from "../../procedures/tools.ts";
import { RAW_FIELDS, WAIT_SECONDS } from "./schemas.ts";
import type { Tool, Tools } from "./tools.ts";

// Writes the results of tools: the data once, in `structuredContent`, and one line of it as text. Answers have no unmarked text of
// senders, and errors are those of the error table, in the names of tools.
/** Of the line. */
const LINE_CHARS = 300;
const ERROR_CHARS = 2_000;
/** Longer values are in the data only. */
const VALUE_CHARS = 120;
/** After a line without some of the values. */
const MORE = ", …";
/** Fields that senders wrote. */
const OF_SENDERS = new Set(["subject", "from_name", "filename", "from"]);

type Written = { tool: Tool; isFull: boolean; requestId: string };

/** @param isFull whether the text repeats the data, for hosts that show only text (`MCP_FULL_TEXT`) */
function resultOf(structuredContent: Record<string, unknown>, line: string, isFull: boolean): CallToolResult {
  return {
    content: [{ type: "text", text: isFull ? JSON.stringify(structuredContent) : line }],
    structuredContent,
  };
}

/** @param withRaw whether messages keep the fields that nothing marks as untrusted */
function successResult(answer: object, withRaw: boolean, { isFull }: Written): CallToolResult {
  const data = (withRaw ? answer : withoutRaw(answer)) as Record<string, unknown>;
  return resultOf(data, lineOf(data), isFull);
}

function errorResult(failure: ServiceError, { tool, isFull, requestId }: Written): CallToolResult {
  const { error, ...terms } = errorBody(failure, requestId);
  const { issues, ...rest } = error;
  const after = failure.headers["Retry-After"];
  const data = {
    ...rest,
    message: named(tool.say(error.message)),
    fix: tool.say(error.fix),
    ...(issues && { issues: issues.map(({ path, message }) => ({ path: named(path), message: tool.say(message) })) }),
    retry_after_seconds: after === undefined ? null : Number(after),
    ...terms,
  };
  const others = (data.issues ?? []).slice(1).map(({ path, message }) => `${path}: ${message}.`);
  const line = [`${data.code}: ${data.message.replace(/[^.?]$/, "$&.")}`, ...others, data.fix].join(" ");
  return { ...resultOf(data, line.slice(0, ERROR_CHARS), isFull), isError: true };
}

/** The field of a path, which tools call otherwise. */
function named(text: string): string {
  return text.replace(/^addr\b/, "inbox");
}

/** `id: msg_…, status: queued`: the short values of an answer, how many items its lists have, and the ids of its objects. */
function lineOf(data: Record<string, unknown>): string {
  const parts = Object.entries(data).flatMap(([name, value]) => partsOf(name, value, true));
  // Only whole values: half of a key would be taken for the key.
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line}, ${part}`;
    if (longer.length + MORE.length <= LINE_CHARS) line = longer;
  }
  return parts.join(", ") === line ? line : `${line}${MORE}`;
}

function partsOf(name: string, value: unknown, isTop: boolean): string[] {
  if (Array.isArray(value)) return [`${name}: ${value.length}`];
  if (typeof value === "object" && value !== null) {
    if ("id" in value) return [`${name}: ${value.id}`];
    return isTop ? Object.entries(value).flatMap(([inner, each]) => partsOf(inner, each, false)) : [];
  }
  const text = String(value ?? "");
  const isShown = text !== "" && text.length <= VALUE_CHARS && !OF_SENDERS.has(name) && !/\s{2}|[\n\r]/.test(text);
  return isShown ? [`${name}: ${text}`] : [];
}

/** A copy in which messages, wherever they are, have no RAW_FIELDS. Only messages have `safe_text` or `preview`. */
function withoutRaw(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRaw);
  if (typeof value !== "object" || value === null) return value;
  const isMessage = "safe_text" in value || "preview" in value;
  const kept = Object.entries(value).filter(([name]) => !isMessage || !RAW_FIELDS.includes(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutRaw(each)]));
}

/** Of a file in base64, in which it becomes a third larger. */
const MAX_ATTACHMENT_BYTES = 1_048_576;
/** An identical call with the same id within this time is a repetition of the request, not a new mail. */
const REPEATED_WITHIN_MS = 600_000;
const NAME_CHARS = 100;
/** Of each body, where a call does not say how many. */
const PIECE_CHARS = 8_000;

type Input = Record<string, unknown>;

/** What a server of tools has. */
export type Served = { router: AnyTRPCRouter; tools: Tools };
/** A `tools/call` request: its JSON-RPC id, its tool and arguments. */
export type ToolCall = { id: string | number; name: string; input: Input };

/**
 * @returns the answer, or the error of the procedure as a result with `isError`
 * @throws ProtocolError for a tool that does not exist
 */
export async function callTool(served: Served, context: RequestContext, call: ToolCall): Promise<CallToolResult> {
  const tool = served.tools.get(call.name);
  if (!tool) {
    const message = `Unknown tool: ${call.name.slice(0, NAME_CHARS)}. tools/list returns the tools of this key.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  const written = { tool, isFull: context.services.settings.MCP_FULL_TEXT, requestId: context.requestId };
  try {
    const { procedure, type, input, withRaw } = readArguments(tool, call.input);
    const idempotencyKey = keyOf(tool, context, { ...call, input });
    const ctx = { ...context, idempotencyKey, send: sendSmall(context.send) };
    const asked = { path: procedure, type, ctx, input, signal: context.signal };
    return successResult(await callProcedure<object>(served.router, asked), withRaw, written);
  } catch (error) {
    return errorResult(refusalOf(context, error, context.signal.aborted), written);
  }
}

type Asked = Pick<Tool, "procedure" | "type"> & { input: Input; withRaw: boolean };

/**
 * The procedure and its input, and whether the fields that nothing marks as untrusted are wanted.
 * @throws ServiceError `invalid_request`, `unknown_field`
 */
function readArguments(tool: Tool, given: Input): Asked {
  const { procedure, type, bodies, waits } = tool;
  const { properties = {} } = tool.input;
  // A procedure without an input does not look at its fields.
  if (Object.keys(properties).length === 0) {
    const names = Object.keys(given).slice(0, ISSUES_MAX);
    const issues = names.map((name) => unknownField(name, []));
    refuseUnknown(issues, []);
  }
  const flags = flagsOf(tool);
  const asked = flags.filter(([flag]) => readFlag(flag, given[flag]));
  const { include_raw, ...named } = given;
  const rest = Object.fromEntries(Object.entries(named).filter(([name]) => !flags.some(([flag]) => flag === name)));
  const input = {
    ...(bodies && properties.max_chars && { max_chars: PIECE_CHARS }),
    ...rest,
    ...(!bodies && include_raw !== undefined && { include_raw }),
    ...(waits && { timeout_seconds: withinWait(given.timeout_seconds ?? properties.timeout_seconds?.default) }),
  };
  const withRaw = !bodies || readFlag("include_raw", include_raw);
  return { procedure: asked.at(-1)?.[1] ?? procedure, type, input, withRaw };
}

/** @throws ServiceError `invalid_request` */
function readFlag(name: string, value: unknown): boolean {
  const text = String(value ?? false).toLowerCase();
  if (text === "true" || text === "false") return text === "true";
  throw invalidField(name, "must be true or false");
}

/** A longer wait counts as the longest; what is no number is refused by the procedure. */
function withinWait(value: unknown): unknown {
  const isNumber = typeof value === "number" || (typeof value === "string" && /^\d{1,9}$/.test(value));
  return isNumber ? Math.min(Number(value), WAIT_SECONDS) : value;
}

/**
 * The idempotency key of a call, made from the call: a client or proxy that repeats a request sends one mail, and makes one draft.
 * Undefined for the other tools, whatever the header says: it is that of the connection.
 */
function keyOf(tool: Tool, { actor, services }: RequestContext, { id, input }: ToolCall): string | undefined {
  if (!tool.takesKey || actor instanceof ServiceError || actor.kind !== "agent") return undefined;
  const period = Math.floor(services.now().getTime() / REPEATED_WITHIN_MS);
  const call = JSON.stringify([tool.name, actor.keyId, id, period, input]);
  return `mcp-${createHash("sha256").update(call).digest("base64url")}`;
}

/** @throws ServiceError `payload_too_large` */
function sendSmall(send: RequestContext["send"]): RequestContext["send"] {
  return async (download) => {
    if ((download.size ?? 0) <= MAX_ATTACHMENT_BYTES) return send(download);
    // Releases the stream, which was already started.
    for await (const _ of download.body) break;
    const message = `The attachment has ${download.size} bytes, and a tool returns at most ${MAX_ATTACHMENT_BYTES}.`;
    const fix = "Leave out `as_base64` to read its text, or ask for a URL of it with `as_link`.";
    throw new ServiceError("payload_too_large", message, { fix });
  };
}
