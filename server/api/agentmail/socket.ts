// AgentMail's events over WebSocket: a client subscribes, and gets the events of its inboxes as they are recorded.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { decodeId } from "../../base/ids.ts";
import { logFailure, toServiceError } from "../../procedures/errors.ts";
import { bodyIn, type Details } from "../../webhooks/delivery/formats.ts";
import { type Api, type EventView, eachOf } from "../compat/route.ts";
import { CLOSE, type Socket } from "../compat/socket.ts";
import { requirePod } from "./account.ts";
import { addressOf } from "./inboxes.ts";
import { refusal } from "./parts.ts";
import { threadItem } from "./threads.ts";
import { messageView, senderOf } from "./views.ts";
import { KIND_NAMES, kindsOf } from "./webhooks.ts";

const FORMAT = "agentmail";
const INBOXES_MAX = 100;
/** Of a message in an event. A longer one comes without its bodies. */
const BODIES_CHARS = 262_144;
/** Newest messages of a thread that are counted where the message cannot be read. */
const LISTED_MAX = 100;

/** Each subscription replaces the one before it. A refused one leaves it as it is. */
export function serveEvents(api: Api, socket: Socket): void {
  let current = new AbortController();
  socket.onText(async (text) => {
    const next = new AbortController();
    const signal = AbortSignal.any([socket.signal, next.signal]);
    try {
      const { kinds, addresses, subscribed } = await readSubscribe(api, text);
      const [only, ...more] = addresses ?? [];
      const input = { events: kinds, ...(only !== undefined && more.length === 0 && { inbox: only }) };
      const events = await api.follow(input, signal);
      current.abort();
      current = next;
      await socket.send(subscribed);
      void passOn(api, socket, { events, addresses: addresses && new Set(addresses), signal });
    } catch (error) {
      next.abort();
      const failure = toServiceError(error);
      logFailure(api.services.log, error, "", socket.signal.aborted);
      const { name, message } = refusal(failure).body as { name: string; message: string };
      await socket.send({ type: "error", name, message }).catch(() => undefined);
    }
  });
}

const subscribeMessage = z.strictObject({
  type: z.literal("subscribe"),
  event_types: z.array(z.string()).min(1).nullish(),
  inbox_ids: z.array(z.string()).min(1).max(INBOXES_MAX).nullish(),
  pod_ids: z.array(z.string()).min(1).max(INBOXES_MAX).nullish(),
});

/**
 * @returns `addresses`: undefined for all inboxes of the key
 * @throws ServiceError `invalid_json`, `invalid_request`, `inbox_not_found`, `not_found` (the pod), `rate_limited`
 */
async function readSubscribe(api: Api, text: string) {
  const read = subscribeMessage.safeParse(readJson(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new ServiceError("invalid_request", `${issue?.path.join(".") || "The message"}: ${issue?.message}.`);
  }
  const { event_types, inbox_ids, pod_ids } = read.data;
  const kinds = kindsOf([...new Set(event_types ?? KIND_NAMES)]);
  for (const pod of pod_ids ?? []) requirePod(pod, api.actor.organizationId);
  const inboxes = inbox_ids && [...new Set(inbox_ids)];
  if (inboxes) api.take(inboxes.length);
  const addresses = inboxes ? await eachOf(inboxes, (inbox) => addressOf(api, inbox)) : undefined;
  const { type: _type, ...asked } = read.data;
  return { kinds, addresses, subscribed: { type: "subscribed", ...asked } };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError("invalid_json", "The message is not valid JSON.");
  }
}

type Subscription = {
  events: AsyncIterable<EventView>;
  addresses: Set<string> | undefined;
  signal: AbortSignal;
};

/** One event after the other: of a client that reads slowly, the others wait in the log. */
async function passOn(api: Api, socket: Socket, { events, addresses, signal }: Subscription): Promise<void> {
  try {
    for await (const view of events) {
      if (addresses && (view.inbox === null || !addresses.has(view.inbox))) continue;
      await socket.send(await eventOf(api, view));
    }
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof DOMException) return socket.close(CLOSE.STOPPING, "The service is stopping.");
    const failure = toServiceError(error);
    logFailure(api.services.log, error, "", false);
    if (failure.status === 401) socket.close(CLOSE.REFUSED, failure.message);
    else socket.close(CLOSE.FAILED, "The events cannot be read now. Connect again.");
  }
}

type Received = Extract<EventView, { event: "message.received" }>;

/** As a webhook gets it; a received message is whole. */
async function eventOf(api: Api, view: EventView): Promise<object> {
  const stored = { event_id: decodeId("evt", view.id) ?? "", event_kind: view.event, body: JSON.stringify(view) };
  const event = JSON.parse(bodyIn(FORMAT, stored, undefined));
  if (view.event !== "message.received") return event;
  try {
    const message = await api.call("messages", "get", { id: view.message.id });
    return {
      ...event,
      message: shortened(messageView(message)),
      thread: await threadItem(api, view.message.thread_id),
    };
  } catch (error) {
    // It was deleted, or cannot be read now. The client still gets the event, and can get the message later.
    logFailure(api.services.log, error, "", false);
    return JSON.parse(bodyIn(FORMAT, stored, await detailsInList(api, view)));
  }
}

/**
 * What the list of its thread says of a message, read as the caller and in its turn.
 * @returns undefined if the message is not listed, such as one in the trash, or the list cannot be read now
 */
async function detailsInList(api: Api, { message: { id, thread_id } }: Received): Promise<Details | undefined> {
  try {
    const { data } = await api.call("messages", "search", { thread_id, limit: LISTED_MAX });
    const message = data.find((each) => each.id === id);
    if (!message) return undefined;
    const { to, cc, size } = message;
    const thread = { message_count: data.length, size: data.reduce((sum, each) => sum + each.size, 0) };
    return { from: senderOf(message), to, cc, sizes: { size, thread } };
  } catch (error) {
    logFailure(api.services.log, error, "", false);
    return undefined;
  }
}

function shortened({ text, html, extracted_text, ...message }: ReturnType<typeof messageView>) {
  const chars = (text?.length ?? 0) + (html?.length ?? 0) + (extracted_text?.length ?? 0);
  return chars > BODIES_CHARS ? message : { ...message, text, html, extracted_text };
}
