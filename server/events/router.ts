// The procedures of events: list the log, follow it over REST, subscribe to it over tRPC.

import { tracked } from "@trpc/server";
import type { z } from "zod";
import type { Caller, Ctx } from "../base/context.ts";
import {
  agentProcedure,
  callerProcedure,
  downloadOutput,
  type RequestContext,
  rest,
  router,
} from "../procedures/procedures.ts";
import { type EventRow, listEvents } from "./list.ts";
import { eventId, listEventsInput, listEventsOutput, streamInput } from "./schema.ts";
import { followEvents } from "./stream.ts";
import { eventStream, eventView } from "./view.ts";

const tags = ["events"];

/** A service that stops must not end what the caller wants to go on with: tRPC lets a stream break off by an AbortError. */
async function* viewsOf(events: AsyncGenerator<EventRow | null, void>) {
  for await (const row of events) {
    if (row) yield eventView(row);
  }
  throw new DOMException("The service is stopping.", "AbortError");
}

async function* mailOf(views: ReturnType<typeof viewsOf>) {
  for await (const view of views) if (view.event === "message.received") yield view;
}

/** With the id of each event, a client whose connection broke goes on after the last one that it got. */
async function* withIds<View extends { id: string }>(views: AsyncGenerator<View, void>) {
  for await (const view of views) yield tracked(view.id, view);
}

/**
 * tRPC asks for the next event before it sends one. If the caller disconnects between the two, it awaits neither, and a
 * rejection that has no handler ends the process. Where tRPC does await the next event, it gets the error.
 */
function withHandledErrors<Event>(events: AsyncGenerator<Event, void>): AsyncGenerator<Event, void> {
  const next = events.next.bind(events);
  return Object.assign(events, {
    next() {
      const asked = next();
      asked.catch(() => undefined);
      return asked;
    },
  });
}

const subscriptionInput = streamInput.extend({ lastEventId: eventId.optional() });

/** Follows from the position of the caller, or of its broken connection. */
async function subscribed(ctx: Ctx<Caller> & { request: RequestContext }, input: z.infer<typeof subscriptionInput>) {
  const after = input.lastEventId ?? input.after;
  // Not by tRPC's own signal: that knows nothing of a caller who had gone before it looked.
  const { events, start } = await followEvents(ctx, { ...input, after }, ctx.request);
  ctx.request.headers["Last-Event-ID"] = start;
  return viewsOf(events);
}

export const eventsRouter = router({
  list: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/events", "listEvents", {
        tags,
        summary: "List events",
        description:
          "Returns events, oldest first: from the start of the log, which keeps 30 days (RETENTION_DAYS_EVENTS), or after `after`. `events` chooses kinds: those that webhooks can subscribe to, and `webhook.disabled`.",
        successDescription: "A page of events.",
        errors: ["insufficient_scope", "inbox_not_found", "invalid_cursor"],
      }),
    )
    .input(listEventsInput)
    .output(listEventsOutput)
    .query(async ({ ctx, input }) => {
      const { rows, more } = await listEvents(ctx, input);
      const data = rows.map(eventView);
      return { data, next_cursor: more ? (data.at(-1)?.id ?? null) : null };
    }),

  stream: agentProcedure("mailbox:read")
    .meta(
      rest("GET /v1/events/stream", "streamEvents", {
        tags,
        summary: "Stream events",
        description:
          "Streams new events as server-sent events: `id` is the event id and `data` is the event as GET /v1/events returns it. A comment every 15 s keeps an idle connection alive. With `Last-Event-ID` or `after` the stream starts after that event and misses nothing.",
        successDescription: "The stream. It ends when the service stops or the key is revoked.",
        produces: "text/event-stream",
        errors: ["insufficient_scope", "inbox_not_found", "invalid_cursor"],
      }),
    )
    .input(streamInput)
    .output(downloadOutput)
    .query(async ({ ctx, input }) => {
      const after = ctx.request.lastEventId ?? input.after;
      const events = await followEvents(ctx, { ...input, after }, ctx.request);
      return ctx.request.send({
        contentType: "text/event-stream",
        filename: null,
        size: null,
        body: eventStream(events),
      });
    }),

  onMessage: callerProcedure("mailbox:read", "member")
    .input(subscriptionInput)
    .subscription(async ({ ctx, input }) => withHandledErrors(withIds(mailOf(await subscribed(ctx, input))))),

  onEvent: callerProcedure("mailbox:read", "member")
    .input(subscriptionInput)
    .subscription(async ({ ctx, input }) => withHandledErrors(withIds(await subscribed(ctx, input)))),
});
