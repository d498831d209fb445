// Reads a request body, and checks its size, JSON nesting and number of values before it parses.
import type { IncomingMessage } from "node:http";
import { ServiceError } from "../../base/errors.ts";
import { charsetOf } from "../../base/media-type.ts";
import type { HoldBytes } from "./body-budget.ts";
import { checkJsonShape } from "./json-shape.ts";

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** `maxBytes`: octets of the body; `hold` counts them in the body budget. */
type BodyLimits = { maxBytes: number; hold?: HoldBytes };

/**
 * Reads the JSON object in the body of `req`; no body is an empty object.
 * @throws ServiceError `unsupported_media_type`, `payload_too_large`, `invalid_json`, `invalid_request` or
 * `unavailable`
 */
export async function readJsonBody(req: IncomingMessage, limits: BodyLimits): Promise<Record<string, unknown>> {
  const value = parseJson(await readJsonText(req, limits), {});
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw mustBe("a JSON object");
  return value as Record<string, unknown>;
}

/** Reads the JSON list in the body of `req`; no body is an empty list. Throws like `readJsonBody`. */
export async function readJsonList(req: IncomingMessage, limits: BodyLimits): Promise<unknown[]> {
  const value = parseJson(await readJsonText(req, limits), []);
  if (!Array.isArray(value)) throw mustBe("a JSON list");
  return value;
}

function parseJson(text: string, empty: object): unknown {
  if (text === "") return empty;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidJson((error as Error).message);
  }
}

function mustBe(what: string): ServiceError {
  return new ServiceError("invalid_request", `The body must be ${what}.`, {
    issues: [{ path: "", message: `must be ${what}` }],
  });
}

/** The body as text, with its shape checked but not parsed; empty if there is none. Throws like `readJsonBody`. */
export async function readJsonText(req: IncomingMessage, limits: BodyLimits): Promise<string> {
  const bytes = await readRawBody(req, limits);
  if (bytes.length === 0) return "";
  checkType(req.headers["content-type"]);
  checkJsonShape(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidJson("it is not UTF-8");
  }
}

/** Whether the request declares a body with more octets than that. A chunked body declares no length. */
function declaresMoreThan(req: IncomingMessage, bytes: number): boolean {
  return Number(req.headers["content-length"] ?? 0) > bytes;
}

/** The body as it was sent. Throws like `readJsonBody`, and leaves its content type and shape to the caller. */
export async function readRawBody(req: IncomingMessage, { maxBytes, hold }: BodyLimits): Promise<Buffer> {
  if (declaresMoreThan(req, maxBytes)) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // The request stays readable after a refusal: unread.ts drops the rest of it.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      hold?.(size);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError("invalid_request", "The body ended before it was complete.", { cause: error });
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError("payload_too_large", `The body is larger than ${maxBytes} bytes.`);
}

function invalidJson(why: string): ServiceError {
  return new ServiceError("invalid_json", `The body is not valid JSON: ${why.slice(0, 200)}`);
}

function checkType(type: string | undefined): void {
  const charset = charsetOf(type ?? "") || "utf-8";
  if (type && JSON_TYPE.test(type) && /^utf-?8$/i.test(charset)) return;
  const is = type ? `is ${type.slice(0, 100)}` : "has no Content-Type";
  throw new ServiceError("unsupported_media_type", `The body ${is}, not application/json in UTF-8.`);
}
