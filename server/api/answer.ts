// Answers that come from no procedure: refusals as JSON, and the refusal of what is not HTTP.
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ServiceError } from "../errors.ts";
import { errorBody } from "./trpc.ts";

/** What is no HTTP at all never becomes a request; it is told so in our envelope all the same. */
export function refuseMalformed(_error: Error, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(
    errorBody(new ServiceError("invalid_request", "This is not a well-formed HTTP request.")),
  );
  const head = ["HTTP/1.1 400 Bad Request", "Content-Type: application/json", "Connection: close"];
  socket.end(`${head.join("\r\n")}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

export function sendJson(
  res: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, { ...headers, "Content-Type": "application/json", "Cache-Control": "no-store" });
  res.end(JSON.stringify(body));
}
