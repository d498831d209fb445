// Writes the results of tools: answers without unmarked text of senders, and errors from the error table.
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ServiceError } from "../../base/errors.ts";
import { errorBody } from "../../procedures/procedures.ts";
import { RAW_FIELDS } from "./schemas.ts";

/** The text repeats the structured content, for hosts that show only text. */
function resultOf(structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

/** @param withRaw whether messages keep the fields that nothing marks as untrusted */
export function successResult(answer: object, withRaw: boolean): CallToolResult {
  return resultOf((withRaw ? answer : withoutRaw(answer)) as Record<string, unknown>);
}

export function errorResult(failure: ServiceError): CallToolResult {
  const { error, ...terms } = errorBody(failure);
  const after = failure.headers["Retry-After"];
  return {
    ...resultOf({ ...error, retry_after_seconds: after === undefined ? null : Number(after), ...terms }),
    isError: true,
  };
}

/** A copy in which messages, wherever they are, have no RAW_FIELDS. Only messages have `safe_text` or `highlights`. */
function withoutRaw(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRaw);
  if (typeof value !== "object" || value === null) return value;
  const isMessage = "safe_text" in value || "highlights" in value;
  const kept = Object.entries(value).filter(([name]) => !isMessage || !RAW_FIELDS.includes(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutRaw(each)]));
}
