// AgentMail's threads: those of an inbox, and of all.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import {
  type Api,
  anyInput,
  ifThere,
  type Output,
  readEach,
  readPages,
  readWait,
  route,
  viewEach,
} from "../compat/route.ts";
import { isInbox } from "./inboxes.ts";
import { attachmentAnswer, searchPage, searchQuery } from "./messages.ts";
import {
  includeFields,
  isWithin,
  labelList,
  labelsOf,
  marksOf,
  orderedPage,
  pageFields,
  pageOf,
  present,
  textList,
  toPage,
} from "./parts.ts";
import {
  attachmentView,
  highlightsOf,
  isThere,
  type Message,
  messageView,
  recipientsOf,
  type Summary,
  senderOf,
  soughtPeople,
  timeOf,
} from "./views.ts";

type ThreadSummary = Output<"threads", "listAll">["data"][number];
type Thread = Output<"threads", "get">;

const MESSAGES_MAX = 100;
/** Attachments of a thread in lists. */
const FILES_MAX = 100;
/** So many messages of a thread are counted, and can be labelled together. */
const COUNTED = 1_000;
/** To label a page of messages: a search and a change. */
const REQUESTS_PER_PAGE = 2;

const uniqueOf = (values: string[]) => [...new Set(values)];
const noThread = () => new ServiceError("thread_not_found", "The thread does not exist.");

/** Summaries of the newest messages of a thread that exist and are read, newest first, and the number of the others. */
type Newest = { messages: Summary[]; hidden: number };

/** @param timeUp until when mail is waited for that is not read yet */
async function newestOf(api: Api, threadId: string, timeUp?: Promise<undefined>): Promise<Newest> {
  let found = 0;
  async function fetch(page: { limit: number }) {
    const newest = await api.call("messages", "search", { thread_id: threadId, ...page });
    found = newest.data.length;
    return newest;
  }
  const messages = (await readPages(api, fetch, timeUp)({ limit: MESSAGES_MAX })).data.filter(isThere);
  return { messages, hidden: found - messages.length };
}

/**
 * @param newest senders, recipients, labels and size are those of its messages
 * @returns undefined if all of its messages are hidden
 */
function threadView(thread: Omit<ThreadSummary, "last_message"> | Thread, { messages, hidden }: Newest) {
  const [last] = messages;
  if (!last && hidden > 0) return;
  const newest = (label: string) => messages.find((each) => labelsOf(each).includes(label));
  const [received, sent] = [newest("received"), newest("sent")];
  const at = last ? timeOf(last) : thread.created_at;
  return {
    inbox_id: thread.inbox,
    thread_id: thread.id,
    labels: uniqueOf(messages.flatMap(labelsOf)),
    timestamp: at,
    ...(received && { received_timestamp: timeOf(received) }),
    ...(sent && { sent_timestamp: timeOf(sent) }),
    senders: uniqueOf(messages.map(senderOf)),
    recipients: uniqueOf(messages.flatMap(recipientsOf)),
    subject: thread.subject,
    ...(last && { preview: last.preview }),
    attachments: messages.flatMap(({ attachments }) => attachments.map(attachmentView)).slice(0, FILES_MAX),
    last_message_id: hidden > 0 && last ? last.id : thread.last_message_id,
    message_count: thread.message_count - hidden,
    size: messages.reduce((sum, { size }) => sum + size, 0),
    updated_at: at,
    created_at: thread.created_at,
  };
}
type View = NonNullable<ReturnType<typeof threadView>>;

const time = z.iso.datetime({ offset: true });
const NO_SPAM = "threads are listed without quarantined mail here; list its messages";
const listQuery = z.strictObject({
  ...pageFields,
  ...includeFields,
  include_spam: includeFields.include_spam.refine((given) => given !== true, NO_SPAM),
  labels: textList.optional().refine((labels) => !labels?.includes("spam"), NO_SPAM),
  before: time.optional(),
  after: time.optional(),
  senders: textList.optional(),
  recipients: textList.optional(),
  subject: textList.optional(),
});

/** Our list of threads has no filters: what does not match leaves the page, which gets shorter. */
async function list(api: Api, inbox: string | undefined, query: z.infer<typeof listQuery>) {
  const asked = inbox === undefined ? {} : { inbox };
  const after = query.after === undefined ? 0 : Date.parse(query.after);
  const timeUp = readWait();
  const { data, next, limit } = await orderedPage(api, query, {
    async fetch(page) {
      const found = await api.call("threads", "listAll", { ...asked, ...page });
      // Newest first: nothing after this page can be newer.
      const isOver = found.data.some(({ last_message }) => Date.parse(timeOf(last_message)) <= after);
      return isOver ? { ...found, next_cursor: null } : found;
    },
    placeOf: ({ last_message }) => last_message.id,
    async keep(threads) {
      const views = await readEach(api, threads, async (each) =>
        threadView(each, await newestOf(api, each.id, timeUp)),
      );
      return views.filter((view) => view && fits(view, query));
    },
  });
  return pageOf("threads", data, next, limit);
}

function fits(view: View, query: z.infer<typeof listQuery>): boolean {
  const { labels = [], senders, recipients, subject = [] } = query;
  const has = (texts: string[], parts: string[]) =>
    parts.every((part) => texts.some((text) => text.toLowerCase().includes(part.toLowerCase())));
  return (
    isWithin(view.timestamp, query) &&
    labels.every((label) => view.labels.includes(label)) &&
    has(view.senders, soughtPeople(senders)) &&
    has(view.recipients, soughtPeople(recipients)) &&
    has([view.subject], subject)
  );
}

/** The threads of the messages that match, each once. */
async function search(api: Api, inbox: string | undefined, query: z.infer<typeof searchQuery>) {
  const timeUp = readWait();
  const { data, next, limit } = await searchPage(api, inbox, query, async (messages) => {
    const found = [...Map.groupBy(messages.filter(isThere), ({ thread_id }) => thread_id)];
    const views = await readEach(api, found, async ([id, matches]) => {
      const view = await ifThere(threadItem(api, id, timeUp));
      return view && { ...view, highlights: highlightsOf(matches.flatMap(({ highlights = [] }) => highlights)) };
    });
    return views.filter((each) => each !== undefined);
  });
  return pageOf("threads", data, next, limit);
}

export const threadItem = async (api: Api, id: string, timeUp?: Promise<undefined>) =>
  threadView(await api.call("threads", "get", { id, limit: 1 }), await newestOf(api, id, timeUp));

/** @param inbox undefined: of any mailbox @throws ServiceError `thread_not_found` */
async function threadIn(
  api: Api,
  inbox: string | undefined,
  asked: { id: string; limit: number; cursor?: string | undefined; include_spam?: boolean },
) {
  const thread = await api.call("threads", "get", asked);
  if (await isInbox(api, inbox, thread.inbox)) return thread;
  throw noThread();
}

const getQuery = z.strictObject({ limit: pageFields.limit, page_token: pageFields.page_token, ...includeFields });

async function get(api: Api, inbox: string | undefined, id: string, query: z.infer<typeof getQuery>) {
  const page = toPage(query);
  const thread = await threadIn(api, inbox, { id, ...page, ...present({ include_spam: query.include_spam }) });
  const view = threadView(thread, await newestOf(api, id));
  if (!view) throw noThread();
  const messages = await viewEach(thread.messages.filter(isThere), messageView);
  const attachments = messages.flatMap((each) => each.attachments);
  return { ...view, attachments, ...pageOf("messages", messages, thread.next_cursor, page.limit) };
}

const updateBody = z.strictObject({ add_labels: labelList, remove_labels: labelList });

async function update(api: Api, inbox: string | undefined, id: string, labels: z.infer<typeof updateBody>) {
  const marks = marksOf(labels.add_labels, labels.remove_labels);
  const thread = await threadIn(api, inbox, { id, limit: 1 });
  if (thread.message_count >= COUNTED) {
    throw new ServiceError("invalid_request", `The thread has ${COUNTED} messages or more.`, {
      fix: "Label its messages.",
    });
  }
  // Before the first change. The first page is counted already.
  api.take(REQUESTS_PER_PAGE * (Math.ceil(thread.message_count / MESSAGES_MAX) - 1));
  let cursor: string | undefined;
  do {
    const page: Output<"messages", "search"> = await api.call("messages", "search", {
      thread_id: id,
      limit: MESSAGES_MAX,
      cursor,
    });
    if (page.data.length > 0)
      await api.call("messages", "updateMany", { ids: page.data.map((each) => each.id), ...marks });
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return { thread_id: id, labels: uniqueOf((await newestOf(api, id)).messages.flatMap(labelsOf)) };
}

async function remove(api: Api, inbox: string | undefined, id: string): Promise<void> {
  await threadIn(api, inbox, { id, limit: 1 });
  await api.call("threads", "remove", { id });
}

async function attachment(api: Api, inbox: string | undefined, id: string, attachmentId: string) {
  await threadIn(api, inbox, { id, limit: 1 });
  const isIn = ({ attachments }: Pick<Message, "attachments">) => attachments.some((file) => file.id === attachmentId);
  const { messages: newest } = await newestOf(api, id);
  const listed = newest.find(isIn);
  if (listed) return attachmentAnswer(api, listed, attachmentId);
  const withMore = newest.filter(({ attachments, attachment_count }) => attachment_count > attachments.length);
  api.takeReads(withMore.length);
  for (const summary of withMore) {
    const message = await api.call("messages", "get", { id: summary.id });
    if (isIn(message)) return attachmentAnswer(api, message, attachmentId);
  }
  throw new ServiceError("attachment_not_found", "The attachment does not exist.");
}

/** The same below an inbox and without one. */
const routesAt = (base: string) => [
  route(`GET ${base}`, listQuery, (api, { inbox_id }, query) => list(api, inbox_id, query)),
  route(`GET ${base}/search`, searchQuery, (api, { inbox_id }, query) => search(api, inbox_id, query)),
  route(`GET ${base}/{thread_id}`, getQuery, (api, { inbox_id, thread_id = "" }, query) =>
    get(api, inbox_id, thread_id, query),
  ),
  route(`PATCH ${base}/{thread_id}`, updateBody, (api, { inbox_id, thread_id = "" }, body) =>
    update(api, inbox_id, thread_id, body),
  ),
  route(`DELETE ${base}/{thread_id}`, anyInput, (api, { inbox_id, thread_id = "" }) =>
    remove(api, inbox_id, thread_id),
  ),
  route(
    `GET ${base}/{thread_id}/attachments/{attachment_id}`,
    anyInput,
    (api, { inbox_id, thread_id = "", attachment_id = "" }) => attachment(api, inbox_id, thread_id, attachment_id),
  ),
];

export const threadRoutes = [...routesAt("/v0/threads"), ...routesAt("/v0/inboxes/{inbox_id}/threads")];
