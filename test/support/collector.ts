// An OpenTelemetry collector on loopback: decodes the spans that are posted to it, by the wire format of protobuf.
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** The fields of a message by their number; bytes, or a number. */
type Fields = Map<number, (Buffer | number)[]>;
type Value = string | number | boolean;

export type CollectedSpan = {
  traceId: string;
  spanId: string;
  /** "" for the first one of a trace. */
  parentId: string;
  name: string;
  /** 2: server, 3: client, 4: producer, 5: consumer. */
  kind: number;
  milliseconds: number;
  attributes: Record<string, Value>;
  links: { traceId: string; spanId: string }[];
  isFailure: boolean;
  resource: Record<string, Value>;
};

const FAILURE = 2;
const NANOSECONDS = 1_000_000n;

function readVarint(bytes: Buffer, start: number): { value: number; end: number } {
  let value = 0n;
  for (let at = start; ; at += 1) {
    const byte = bytes[at] as number;
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start));
    if (byte < 0x80) return { value: Number(BigInt.asIntN(64, value)), end: at + 1 };
  }
}

function fieldsOf(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at);
    const kind = tag.value & 7;
    const next =
      kind === 1 ? { value: 8, end: tag.end } : kind === 5 ? { value: 4, end: tag.end } : readVarint(bytes, tag.end);
    at = kind === 0 ? next.end : next.end + next.value;
    const value = kind === 0 ? next.value : bytes.subarray(next.end, at);
    fields.set(tag.value >> 3, [...(fields.get(tag.value >> 3) ?? []), value]);
  }
  return fields;
}

const messages = (fields: Fields, number: number) => (fields.get(number) ?? []).map((each) => fieldsOf(each as Buffer));
const bytesOf = (fields: Fields, number: number) => (fields.get(number)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
const hex = (fields: Fields, number: number) => bytesOf(fields, number).toString("hex");

function attributesOf(fields: Fields, number: number): Record<string, Value> {
  const pairs = messages(fields, number).map((pair) => {
    const [value = new Map()] = messages(pair, 2);
    const [kind, [first]] = [...value][0] as [number, [Buffer | number]];
    const read = { 1: String(first), 2: Boolean(first), 3: Number(first) }[kind];
    return [bytesOf(pair, 1).toString(), read ?? (first as Buffer).readDoubleLE()];
  });
  return Object.fromEntries(pairs);
}

function spanOf(span: Fields, resource: CollectedSpan["resource"]): CollectedSpan {
  const [from, to] = [bytesOf(span, 7).readBigUInt64LE(), bytesOf(span, 8).readBigUInt64LE()];
  const [status] = messages(span, 15);
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentId: hex(span, 4),
    name: bytesOf(span, 5).toString(),
    kind: Number(span.get(6)?.[0]),
    milliseconds: Number((to - from) / NANOSECONDS),
    attributes: attributesOf(span, 9),
    links: messages(span, 13).map((link) => ({ traceId: hex(link, 1), spanId: hex(link, 2) })),
    isFailure: status?.get(3)?.[0] === FAILURE,
    resource,
  };
}

function decodeSpans(body: Buffer): CollectedSpan[] {
  return messages(fieldsOf(body), 1).flatMap((group) => {
    const resource = attributesOf(messages(group, 1)[0] as Fields, 1);
    return messages(group, 2).flatMap((scope) => messages(scope, 2).map((span) => spanOf(span, resource)));
  });
}

export type Collector = {
  url: string;
  spans: CollectedSpan[];
  /** `isOver`: it got its whole answer, or the client gave up. */
  requests: { path: string; headers: IncomingHttpHeaders; isOver: boolean }[];
  /** The spans of one trace, by name. */
  trace(traceId: string): Map<string, CollectedSpan>;
  close(): Promise<void>;
};

/** @param answer by default 200 */
export async function startCollector(
  answer: RequestListener = (_request, response) => response.end(),
): Promise<Collector> {
  const server = createServer(async (request, response) => {
    const received = { path: request.url ?? "", headers: request.headers, isOver: false };
    response.once("close", () => {
      received.isOver = true;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    collector.requests.push(received);
    collector.spans.push(...decodeSpans(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body));
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    requests: [],
    trace(traceId) {
      const own = collector.spans.filter((span) => span.traceId === traceId);
      return new Map(own.map((span) => [span.name, span]));
    },
    async close() {
      server.closeAllConnections();
      // Also when it is closed already.
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}
