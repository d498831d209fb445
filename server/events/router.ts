// The procedures of events: list the log, follow it over REST, subscribe to it over tRPC.
import { tracked } from "@trpc/server";
import { agentProcedure, callerProcedure, downloadOutput, router } from "../procedures/procedures.ts";
import { type EventRow, listEvents } from "./list.ts";
import { event, listEventsInput, listEventsOutput, streamInput } from "./schema.ts";
import { followEvents } from "./stream.ts";
import { eventStream, eventView } from "./view.ts";

const tags = ["events"];

/** A service that stops must not end what the caller wants to go on with: tRPC lets a stream break off by an AbortError. */
async function* trackedMail(events: AsyncGenerator<EventRow | null, void>) {
  for await (const row of events) {
    const view = row && eventView(row);
    if (view?.event === "message.received") yield tracked(view.id, view);
  }
  throw new DOMException("The service is stopping.", "AbortError");
}

export const eventsRouter = router({
  list: callerProcedure("mailbox:read", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/events",
        tags,
        summary: "List events",
        description:
          "Oldest first, from the beginning of what is kept (30 days) or from `after`: mail that came in, which is what webhooks are told of, and webhooks that were disabled, which none is told of.",
        successDescription: "A page of events; pass `next_cursor`, or the last id, as `after`.",
      },
      errors: ["insufficient_scope", "inbox_not_found", "invalid_cursor"],
    })
    .input(listEventsInput)
    .output(listEventsOutput)
    .query(async ({ ctx, input }) => {
      const { rows, more } = await listEvents(ctx, input);
      const data = rows.map(eventView);
      return { data, next_cursor: more ? (data.at(-1)?.id ?? null) : null };
    }),

  stream: agentProcedure("mailbox:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/events/stream",
        tags,
        summary: "Follow events",
        description:
          "Server-sent events: each event's `id` is its id, `data` is the event as GET /v1/events gives it, after 15 s without an event a comment keeps the connection alive. With `Last-Event-ID` (or `after`) it begins after that event and misses nothing. TypeScript clients may subscribe to `events.onMessage` instead, which gives `message.received` alone.",
        successDescription: "The stream; it ends when the service stops or the key is revoked.",
      },
      produces: "text/event-stream",
      errors: ["insufficient_scope", "inbox_not_found", "invalid_cursor"],
    })
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
    .input(streamInput.extend({ lastEventId: event.shape.id.optional() }))
    .subscription(async ({ ctx, input }) => {
      const after = input.lastEventId ?? input.after;
      // Not by tRPC's own signal: that knows nothing of a caller who had gone before it looked.
      const { events, start } = await followEvents(ctx, { ...input, after }, ctx.request);
      ctx.request.headers["Last-Event-ID"] = start;
      return trackedMail(events);
    }),
});
