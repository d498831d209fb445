// Calls the procedure of a tool with the request's context, as REST and tRPC do.
import { createHash } from "node:crypto";
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { AnyTRPCRouter } from "@trpc/server";
import { invalidField, ServiceError } from "../../base/errors.ts";
import type { WaitOutput } from "../../messages/wait/schema.ts";
import { callProcedure } from "../../procedures/chain.ts";
import { errorBody, logFailure, toServiceError } from "../../procedures/errors.ts";
import { MAX_ISSUES, refuseUnknown, unknownField } from "../../procedures/fields.ts";
import type { RequestContext } from "../../procedures/procedures.ts";
import { RAW_FIELDS } from "./schemas.ts";
import type { Tool, Tools } from "./tools.ts";
import { type Progress, readSeconds, waitInSlices } from "./wait.ts";

// Writes the results of tools: answers without unmarked text of senders, and errors from the error table.
/** The text repeats the structured content, for hosts that show only text. */
function resultOf(structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

/** @param withRaw whether messages keep the fields that nothing marks as untrusted */
function successResult(answer: object, withRaw: boolean): CallToolResult {
  return resultOf((withRaw ? answer : withoutRaw(answer)) as Record<string, unknown>);
}

function errorResult(failure: ServiceError): CallToolResult {
  const { error, ...terms } = errorBody(failure);
  const after = failure.headers["Retry-After"];
  return {
    ...resultOf({ ...error, retry_after_seconds: after === undefined ? null : Number(after), ...terms }),
    isError: true,
  };
}

/** A copy in which messages, wherever they are, have no RAW_FIELDS. Only messages have `safe_text` or `preview`. */
function withoutRaw(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRaw);
  if (typeof value !== "object" || value === null) return value;
  const isMessage = "safe_text" in value || "preview" in value;
  const kept = Object.entries(value).filter(([name]) => !isMessage || !RAW_FIELDS.includes(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutRaw(each)]));
}

/** An attachment becomes a third larger in base64, and is in the answer twice. */
const MAX_ATTACHMENT_BYTES = 1_048_576;
/** An identical call with the same id within this time is a repetition of the request, not a new mail. */
const REPEATED_WITHIN_MS = 600_000;
const NAME_CHARS = 100;

type Input = Record<string, unknown>;

/** What a server of tools has. */
export type Served = { router: AnyTRPCRouter; tools: Tools };
/** A `tools/call` request: its JSON-RPC id, its tool and arguments. */
export type ToolCall = { id: string | number; name: string; input: Input; progress: Progress };

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
  try {
    const { input, withRaw } = readArguments(tool, call.input);
    const keyed = withKey(tool, context, { ...call, input });
    const run = (given: Input) => runProcedure(served.router, tool, context, given);
    const answer = await (tool.maxWaitSeconds === undefined
      ? run(keyed)
      : wait(tool, context, { ...call, input }, run));
    return successResult(answer, withRaw);
  } catch (error) {
    logFailure(context.services.log, error, context.requestId, context.signal.aborted);
    return errorResult(toServiceError(error));
  }
}

function runProcedure(router: AnyTRPCRouter, tool: Tool, context: RequestContext, input: Input): Promise<object> {
  const ctx = { ...context, send: sendSmall(context.send) };
  return callProcedure<object>(router, { path: tool.procedure, type: tool.type, ctx, input, signal: context.signal });
}

type Run = (input: Input) => Promise<object>;

function wait(tool: Tool, context: RequestContext, { input, progress }: ToolCall, run: Run): Promise<WaitOutput> {
  const { maxWaitSeconds: max = 0, input: schema } = tool;
  const usual = Number(schema.properties?.timeout_seconds?.default ?? 0);
  const seconds = readSeconds(input.timeout_seconds, { max, usual });
  return waitInSlices({ input, seconds, until: context, progress, run: run as (given: Input) => Promise<WaitOutput> });
}

/**
 * The input of the procedure, and whether the fields that nothing marks as untrusted are wanted.
 * @throws ServiceError `invalid_request`, `unknown_field`
 */
function readArguments({ bodies, input: { properties = {} } }: Tool, given: Input): { input: Input; withRaw: boolean } {
  // A procedure without an input does not look at its fields.
  if (Object.keys(properties).length === 0) {
    const names = Object.keys(given).slice(0, MAX_ISSUES);
    refuseUnknown(
      names.map((name) => unknownField(name, [])),
      [],
    );
  }
  if (!bodies) return { input: given, withRaw: true };
  const { include_raw, ...input } = given;
  const asked = include_raw ?? false;
  if (typeof asked === "boolean") return { input, withRaw: asked };
  throw invalidField("include_raw", "must be true or false");
}

/**
 * The input with an idempotency key, for tools that take one, made from the call: a client or proxy that repeats a request
 * sends one mail.
 */
function withKey(tool: Tool, { actor, services }: RequestContext, { id, input }: ToolCall): Input {
  const takesKey = tool.input.properties?.idempotency_key !== undefined;
  if (
    !takesKey ||
    (input.idempotency_key ?? null) !== null ||
    actor instanceof ServiceError ||
    actor.kind !== "agent"
  ) {
    return input;
  }
  const period = Math.floor(services.now().getTime() / REPEATED_WITHIN_MS);
  const call = JSON.stringify([tool.name, actor.keyId, id, period, input]);
  return { ...input, idempotency_key: `mcp-${createHash("sha256").update(call).digest("base64url")}` };
}

/** @throws ServiceError `payload_too_large` */
function sendSmall(send: RequestContext["send"]): RequestContext["send"] {
  return async (download) => {
    if ((download.size ?? 0) <= MAX_ATTACHMENT_BYTES) return send(download);
    // Releases the stream, which was already started.
    for await (const _ of download.body) break;
    const message = `The attachment has ${download.size} bytes. A tool returns at most ${MAX_ATTACHMENT_BYTES}: download it with GET /v1/messages/{id}/attachments/{attachment_id}.`;
    throw new ServiceError("payload_too_large", message);
  };
}
