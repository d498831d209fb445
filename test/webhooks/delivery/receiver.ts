// A customer's endpoint on loopback: stores requests, and sends scripted answers.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeId } from "#server/base/ids.ts";

type Received = { url: string; method: string; headers: IncomingHttpHeaders; body: string };
export type Receiver = {
  url: string;
  port: number;
  received: Received[];
  /** Connections so far. */
  connections: number;
  answer: (response: ServerResponse, request: IncomingMessage, received: Received) => void;
  close(): Promise<void>;
};

export function status(code: number, headers: Record<string, string> = {}, body = ""): Receiver["answer"] {
  return (response) => response.writeHead(code, headers).end(body);
}

/** The UUID of the delivery that a request was. */
export function deliveryId({ headers }: Received): string {
  return decodeId("dlv", String(headers["x-service-delivery"])) ?? "";
}

export const hang: Receiver["answer"] = () => undefined;

export async function startReceiver(answer: Receiver["answer"] = status(200)): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url = "", method = "", headers } = request;
    const received = { url, method, headers, body: Buffer.concat(chunks).toString() };
    receiver.received.push(received);
    receiver.answer(response, request, received);
  });
  server.on("connection", () => {
    receiver.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received: [],
    connections: 0,
    answer,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
