// One operation: its success answer, its errors, its body and its security, from the meta of the procedure.
import { bodyLimit, type RestMeta } from "../../procedures/meta.ts";
import { ALWAYS, FILE, RATE } from "./headers.ts";
import type { Answer, Document, Header } from "./parts.ts";
import { isRef } from "./parts.ts";
import { errorAnswers } from "./refusals.ts";

const STREAM = "text/event-stream";
const HEADER_CHARS = 8_192;

/** What answers of bytes look like. */
const BYTES_EXAMPLES: Record<string, string> = {
  "text/plain": '_mailberth.example.com. 3600 IN TXT "mailberth-verification=4f1d7c0a9be24c55a1e5d2b8c3f6a790"\n',
  "message/rfc822": "From: Shop <no-reply@shop.example>\r\nSubject: Your code is 482915\r\n\r\n482915\r\n",
  "*/*": "%PDF-1.7 …",
  [STREAM]:
    'id: evt_01jd3m9v5sf0b8j3mgz7qk2x4c\nevent: message.received\ndata: {"id":"evt_01jd3m9v5sf0b8j3mgz7qk2x4c","event":"message.received"}\n\n',
};

export function describeOperation(document: Document, meta: RestMeta): void {
  const { path, method, protect = true } = meta.openapi;
  const operation = document.paths[path]?.[method.toLowerCase()];
  const success = operation?.responses["200"];
  if (!operation || !success || isRef(success)) throw new Error(`${method} ${path} has no success answer`);
  success.headers = { ...ALWAYS, ...RATE, ...optionalHeaders(meta.responseHeaders ?? {}) };
  if (meta.produces) describeBytes(success, meta.produces);
  const takesInput = Boolean(operation.parameters?.length);
  operation.responses = { [meta.status ?? 200]: success, ...errorAnswers(meta, takesInput) };
  if (!protect) operation.security = [];
  const { requestBody } = operation;
  if (!requestBody) return;
  requestBody.required = Boolean(requestBody.content["application/json"]?.schema.required?.length);
  const fate = meta.ignoresUnknown ? "ignored" : "refused with `unknown_field`";
  requestBody.description = `At most ${bodyLimit(meta)} bytes. Unknown fields are ${fate}.`;
}

function optionalHeaders(descriptions: Record<string, string>): Record<string, Header> {
  const schema = { type: "string", maxLength: HEADER_CHARS };
  return Object.fromEntries(Object.entries(descriptions).map(([name, description]) => [name, { description, schema }]));
}

/** The answer that `RequestContext.send` gives at this door. */
function describeBytes(success: Answer, mediaType: string): void {
  const schema = mediaType === STREAM ? { type: "string" } : { type: "string", format: "binary" };
  success.content = { [mediaType]: { schema, example: BYTES_EXAMPLES[mediaType] } };
  if (mediaType !== STREAM) Object.assign(success.headers ?? {}, FILE);
}
