// Reads a request body: bounded, JSON, one object (or nothing at all, which is an empty object).
import type { IncomingMessage } from "node:http";
import { ServiceError } from "../errors.ts";

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const MAX_DROPPED_BYTES = 67_108_864;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

/**
 * The JSON object in the body of `req`, at most `maxBytes` octets.
 * @throws ServiceError `unsupported_media_type`, `payload_too_large`, `invalid_json` or `invalid_request`
 */
export async function readJsonBody(req: IncomingMessage, maxBytes: number): Promise<Record<string, unknown>> {
  const bytes = await readBytes(req, maxBytes);
  if (bytes.length === 0) return {};
  checkType(req.headers["content-type"]);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : "it is not UTF-8";
    throw new ServiceError("invalid_json", `The body is not valid JSON: ${why.slice(0, 200)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ServiceError("invalid_request", "The body must be a JSON object.", {
      issues: [{ path: "", message: "must be a JSON object" }],
    });
  }
  return value as Record<string, unknown>;
}

async function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      size += chunk.length;
      // What is too much is read all the same and dropped: a client that is still sending would not see the answer.
      if (size <= maxBytes) chunks.push(chunk);
      if (size > maxBytes + MAX_DROPPED_BYTES) break;
    }
  } catch (error) {
    throw new ServiceError("invalid_request", "The body ended before it was complete.", { cause: error });
  }
  if (size > maxBytes) throw new ServiceError("payload_too_large", `The body is larger than ${maxBytes} bytes.`);
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

function checkType(type: string | undefined): void {
  const charset = CHARSET.exec(type ?? "")?.[1]?.toLowerCase() ?? "utf-8";
  if (type && JSON_TYPE.test(type) && /^utf-?8$/.test(charset)) return;
  const is = type ? `is ${type.slice(0, 100)}` : "has no Content-Type";
  throw new ServiceError("unsupported_media_type", `The body ${is}, not application/json in UTF-8.`);
}
