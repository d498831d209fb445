// Records the SQL that a service sends, by a proxy that reads PostgreSQL's protocol.
import { startProxy } from "./proxy.ts";

/** Type, length: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const HEADER_BYTES = 5;
const PARSE = "P";
const QUERY = "Q";

/** The text of a message that holds SQL: Parse has a name before it. */
function textOf(type: string, body: string): string | undefined {
  if (type === PARSE) return body.split("\0")[1];
  return type === QUERY ? body.split("\0")[0] : undefined;
}

/** Reads one connection; the first message has no type. */
function reader(add: (statement: string) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let started = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    if (!started && rest.length >= 4 && rest.length >= rest.readInt32BE(0)) {
      rest = rest.subarray(rest.readInt32BE(0));
      started = true;
    }
    while (started && rest.length >= HEADER_BYTES && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      const text = textOf(String.fromCharCode(rest[0] ?? 0), rest.toString("utf8", HEADER_BYTES, end));
      if (text !== undefined) add(text);
      rest = rest.subarray(end);
    }
  };
}

/**
 * @param url of a database
 * @returns `url` of the same database by way of the proxy; `statements`: what was sent, a prepared statement once for each
 *   connection; `close` ends all connections
 */
export async function recordStatements(url: string) {
  const statements: string[] = [];
  const proxy = await startProxy(url, () => reader((statement) => statements.push(statement)));
  return { url: proxy.url, statements, close: proxy.cut };
}
