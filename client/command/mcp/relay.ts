// Passes each MCP message of a host to the service and its answers back, until one of them or the user ends it.
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
  SdkHttpError,
  type StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { describeProblem } from "../problem.ts";

/** Requests that wait for an answer; a wait lasts up to ten minutes. */
const IN_FLIGHT_MAX = 1_000;
const LOST = "The connection to the service ended before its answer. Repeat the call.";
const TOO_MANY = `${IN_FLIGHT_MAX} requests wait for an answer. Repeat the call after one of them ends.`;

export type Ends = {
  host: Transport;
  service: StreamableHTTPClientTransport;
  url: string;
  stop: AbortSignal;
  log(text: string): void;
};

/** `hostGone`: resolves when the host closes its end. */
type Relay = Ends & { inFlight: Map<RequestId, AbortController>; hostGone: PromiseWithResolvers<void> };

/** Returns when the host closes its end, or the user interrupts. Calls without an answer are then abandoned. */
export async function relay(ends: Ends): Promise<void> {
  const { host, service, stop, log } = ends;
  const state: Relay = { ...ends, inFlight: new Map(), hostGone: Promise.withResolvers() };
  const { resolve: end } = state.hostGone;
  service.onmessage = (message) => void toHost(state, message);
  host.onmessage = (message) => void toService(state, message);
  host.onerror = (error) => log(`A message of the host is not valid: ${error.message}`);
  host.onclose = end;
  stop.addEventListener("abort", () => end(), { once: true });
  await service.start();
  await host.start();
  if (!stop.aborted) await state.hostGone.promise;
  await Promise.all([service.close(), host.close()]);
}

async function toHost({ host, service, inFlight, hostGone }: Relay, message: JSONRPCMessage): Promise<void> {
  if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
    if (message.id !== undefined && !inFlight.delete(message.id)) return; // cancelled
    adoptVersion(service, message);
  }
  await host.send(message).catch(() => hostGone.resolve());
}

async function toService(state: Relay, message: JSONRPCMessage): Promise<void> {
  const cancelled = cancelledBy(message);
  if (cancelled !== undefined) return cancel(state, cancelled);
  if (isJSONRPCRequest(message)) return call(state, message.id, message);
  await state.service.send(message).catch((error) => state.log(describeFailure(error, state.url).message));
}

async function call(state: Relay, id: RequestId, message: JSONRPCMessage): Promise<void> {
  const { service, inFlight } = state;
  const canceller = new AbortController();
  const isFull = inFlight.size >= IN_FLIGHT_MAX;
  inFlight.set(id, canceller);
  if (isFull) return refuse(state, id, { message: TOO_MANY });
  const onRequestStreamEnd = () => void refuse(state, id, { message: LOST });
  await service
    .send(message, { requestSignal: canceller.signal, onRequestStreamEnd })
    .catch((error) => refuse(state, id, describeFailure(error, state.url)));
}

/** Answers a request with an error, unless it was answered or cancelled. */
async function refuse(state: Relay, id: RequestId, failure: Failure): Promise<void> {
  if (!state.inFlight.has(id)) return;
  await toHost(state, { jsonrpc: "2.0", id, error: { code: ProtocolErrorCode.InternalError, ...failure } });
}

function cancel({ inFlight }: Relay, id: RequestId): void {
  inFlight.get(id)?.abort();
  inFlight.delete(id);
}

/** Protocols before 2026 name the version once, in the answer to `initialize`; HTTP repeats it in each request. */
function adoptVersion(service: StreamableHTTPClientTransport, message: JSONRPCMessage): void {
  const version = isJSONRPCResultResponse(message) ? message.result.protocolVersion : undefined;
  if (typeof version === "string") service.setProtocolVersion(version);
}

/** The request that a host no longer waits for. The service has no sessions, so only the end of its request says so. */
function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.requestId;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

type Failure = { code?: number; message: string; data?: object };

/** The error of JSON-RPC or of the service with which a request was refused, or why the service cannot be reached. */
function describeFailure(error: unknown, url: string): Failure {
  const refused = error instanceof SdkHttpError ? readError(error.data?.text) : undefined;
  return refused ?? { message: describeProblem(error, url).text };
}

function readError(text: unknown): Failure | undefined {
  try {
    const { error } = JSON.parse(String(text));
    if (typeof error.message !== "string") return undefined;
    if (typeof error.code === "number") return error;
    return { message: `${error.message} ${error.fix}`, data: error };
  } catch {
    return undefined; // a proxy answered
  }
}
