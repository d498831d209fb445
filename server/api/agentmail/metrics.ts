// AgentMail's metrics: the event log, counted in periods.
import { z } from "zod";
import { invalidField } from "../../base/errors.ts";
import { type Api, absent, type Output, route, WALK_ITEMS, walk } from "../compat/route.ts";
import { flag, textList } from "./parts.ts";
import { KIND_NAMES, KINDS, kindsOf } from "./webhooks.ts";

type Event = Output<"events", "list">["data"][number];

const PERIOD_SECONDS = 3_600;
const PERIOD_MAX_SECONDS = 86_400;
const SPAN_MS = 86_400_000;
const DAY_MS = 86_400_000;
const MS = 1_000;

const time = z.iso.datetime({ offset: true });
const eventsQuery = z.strictObject({
  event_types: textList.optional(),
  start: time.optional(),
  end: time.optional(),
  period: z.coerce.number().int().min(1).max(PERIOD_MAX_SECONDS).default(PERIOD_SECONDS),
  limit: z.coerce.number().int().min(1).optional(),
  descending: flag.optional(),
});
type Query = z.infer<typeof eventsQuery>;

/** @throws ServiceError `invalid_request` for a time that the log does not reach */
function spanOf({ services }: Api, query: Query): { start: Date; end: Date } {
  const now = services.now();
  const end = query.end === undefined ? now : new Date(query.end);
  const start = query.start === undefined ? new Date(end.getTime() - SPAN_MS) : new Date(query.start);
  const days = services.settings.RETENTION_DAYS_EVENTS;
  if (now.getTime() - start.getTime() <= days * DAY_MS) return { start, end };
  const kept = `events are kept ${days} days here`;
  if (query.start !== undefined) throw invalidField("start", kept);
  throw invalidField("end", `${kept}, and without a start the day before the end is counted`);
}

/** From the first moment on, and before the last. */
async function eventsIn(api: Api, inbox: string | undefined, query: Query): Promise<Event[]> {
  const { start, end } = spanOf(api, query);
  const asked = { events: kindsOf(query.event_types ?? KIND_NAMES), ...(inbox !== undefined && { inbox }) };
  const isOver = ({ created_at }: Event) => Date.parse(created_at) >= end.getTime();
  const found = await walk(api, WALK_ITEMS, async ({ limit, cursor }) => {
    const after = cursor ?? new Date(start.getTime() - 1).toISOString();
    const page = await api.call("events", "list", { ...asked, limit, after });
    return page.data.every(isOver) ? { ...page, next_cursor: null } : page;
  });
  return found.filter((event) => Date.parse(event.created_at) >= start.getTime() && !isOver(event));
}

/** Periods without an event are left out. */
function bucketsOf(events: Event[], { period, limit, descending = false }: Query) {
  const startOf = ({ created_at }: Event) => Math.floor(Date.parse(created_at) / MS / period) * period * MS;
  const counted = [...Map.groupBy(events, startOf)].sort(([a], [b]) => (descending ? b - a : a - b)).slice(0, limit);
  return counted.map(([at, { length: count }]) => ({ timestamp: new Date(at).toISOString(), count }));
}

async function count(api: Api, inbox: string | undefined, query: Query) {
  const byKind = Map.groupBy(await eventsIn(api, inbox, query), ({ event }) => event);
  const named = [...byKind].map(([kind, events]) => [KINDS[kind as keyof typeof KINDS], bucketsOf(events, query)]);
  return Object.fromEntries(named);
}

const routesAt = (base: string) => [
  route(`GET ${base}/events`, eventsQuery, (api, { inbox_id }, query) => count(api, inbox_id, query)),
  ...absent(
    [`GET ${base}/usage`],
    "Mailberth keeps no history of what is stored: GET /v1/inboxes/{addr}/storage has it now.",
  ),
];

export const metricRoutes = [...routesAt("/v0/metrics"), ...routesAt("/v0/inboxes/{inbox_id}/metrics")];
