// Lists AgentMail's drafts. A page has both kinds, the last changed first. Messages are listed by creation, which is their last change
// here; our list of drafts has another order, so it is read as a whole.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { FIRST_ID, timeOfId } from "../../base/id-range.ts";
import { decodeId } from "../../base/ids.ts";
import { type Api, ifThere, type Output, readEach, walk } from "../compat/route.ts";
import { getDraft, hasSubjectOfAnswered, isMessageId } from "./find-draft.ts";
import { flag, isWithin, pageFields, pageOf, parse, present, siftedPage, textList } from "./parts.ts";

/** Pages of messages that one page reads, where only some of them have the labels. */
const PAGES_MAX = 10;

const time = z.iso.datetime({ offset: true });
export const listQuery = z.strictObject({
  ...pageFields,
  ascending: flag.optional().refine((value) => value !== true, "drafts come newest first here; leave it out"),
  labels: textList.optional(),
  before: time.optional(),
  after: time.optional(),
});
type ListQuery = z.infer<typeof listQuery>;

/** A draft of either kind, in a list. */
type Listed = { id: string; updated_at: string };
type Wanted = { inbox: string | undefined; query: ListQuery; limit: number; from: Place };
/** Scheduled messages. `rest`: the place behind them in the list of messages, if there may be more. */
type ScheduledPage = { found: Listed[]; rest: string | null };

/** @param inbox undefined: of all mailboxes */
export async function listDrafts(api: Api, inbox: string | undefined, query: ListQuery) {
  const { data, next, limit } = await siftedPage<Listed, unknown>(api, query, {
    fetch: (page) => fetchPage(api, { inbox, query, limit: page.limit, from: readPlace(page.cursor) }),
    async keep(items) {
      // Some were deleted or sent since the list was read.
      const views = await readEach(api, items, ({ id }) => ifThere(getDraft(api, undefined, id)));
      return views.filter((view) => view !== undefined);
    },
  });
  return pageOf("drafts", data, next, limit);
}

async function fetchPage(api: Api, wanted: Wanted) {
  const { limit, from } = wanted;
  const drafts = await findDrafts(api, wanted);
  const scheduled = await findMessages(api, wanted);
  const found = [...drafts, ...scheduled.found].sort(lastChangedFirst);
  const data = found.slice(0, limit);
  const hasMore = found.length > limit || scheduled.rest !== null;
  return { data, next_cursor: hasMore ? writePlace(placeBehind(data, scheduled, from)) : null };
}

const lastChangedFirst = (a: Listed, b: Listed) =>
  Date.parse(b.updated_at) - Date.parse(a.updated_at) || b.id.localeCompare(a.id);

// Places in the list.

/** Behind this draft, and behind this message or place of the list of messages. */
const placeFields = z.strictObject({
  draft: z.strictObject({ id: z.string(), updated_at: z.string() }).optional(),
  message: z.string().optional(),
  cursor: z.string().optional(),
});
type Place = z.infer<typeof placeFields>;

function readPlace(token: string | undefined): Place {
  if (token === undefined) return {};
  const read = placeFields.safeParse(parse(Buffer.from(token, "base64url").toString()));
  if (read.success) return read.data;
  throw new ServiceError("invalid_cursor", "page_token: not one of this list.");
}
const writePlace = (place: Place) => Buffer.from(JSON.stringify(place)).toString("base64url");

/** The place behind a page. Messages that were found and are not on the page are found again from there. */
function placeBehind(page: Listed[], { found, rest }: ScheduledPage, from: Place): Place {
  const draft = page.findLast(({ id }) => !isMessageId(id)) ?? from.draft;
  const isAllShown = found.every((each) => page.includes(each));
  if (isAllShown && rest !== null) return { draft, message: from.message, cursor: rest };
  const lastMessage = page.findLast(({ id }) => isMessageId(id));
  if (lastMessage) return { draft, message: lastMessage.id };
  return { ...from, draft };
}

// The two lists.
const hasLabels = (labels: string[], asked: string[] = []) => asked.every((label) => labels.includes(label));

/** All drafts behind the place. Counts the reads of their views. */
async function findDrafts(api: Api, { inbox, query, limit, from }: Wanted): Promise<Listed[]> {
  if (query.labels?.includes("scheduled")) return [];
  const all = await walk(api, limit, (page) => api.call("drafts", "list", { ...present({ inbox }), ...page }));
  const found = all
    .filter((each) => hasLabels(["draft", ...each.labels], query.labels) && isWithin(each.updated_at, query))
    .filter((each) => from.draft === undefined || lastChangedFirst(from.draft, each) < 0)
    .sort(lastChangedFirst);
  // The view of a reply without a subject reads the message that it answers.
  api.takeReads(found.slice(0, limit).filter(hasSubjectOfAnswered).length);
  return found.map(({ id, updated_at }) => ({ id, updated_at }));
}

/** Scheduled messages behind the place: at least `limit`, if there are so many in a few pages. */
async function findMessages(api: Api, { inbox, query, limit, from }: Wanted): Promise<ScheduledPage> {
  const { labels = [], after } = query;
  const label = labels.find((each) => each !== "draft" && each !== "scheduled");
  const before = from.message ?? query.before;
  const asked = { direction: "outbound" as const, status: "scheduled" as const, limit };
  const found: Listed[] = [];
  let { cursor } = from;
  for (let read = 1; ; read += 1) {
    const filters = present({ inbox, label, before, after, cursor });
    const page: Output<"messages", "search"> = await api.call("messages", "search", { ...asked, ...filters });
    const fitting = page.data.filter((each) => hasLabels(["draft", "scheduled", ...each.labels], labels));
    found.push(...fitting.map(({ id }) => ({ id, updated_at: creationOf(id) })));
    const rest = page.next_cursor;
    if (rest === null || found.length >= limit || read === PAGES_MAX) return { found, rest };
    api.take(1);
    cursor = rest;
  }
}

/** When a message was created, by its id, which is the order of their list. */
const creationOf = (id: string) => new Date(timeOfId(decodeId("msg", id) ?? FIRST_ID)).toISOString();
