// What the routes of a drop-in API are made of: a path, the schema of its input, and a function that calls our procedures.

import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type { AnyTRPCRouter, inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { z } from "zod";
import { shownName, writeRecipients } from "../../base/addresses.ts";
import type { Agent, Services } from "../../base/context.ts";
import { ISSUES_MAX } from "../../base/errors/body.ts";
import { invalidField, ServiceError } from "../../base/errors.ts";
import type { domainsRouter } from "../../domains/router.ts";
import type { eventsRouter } from "../../events/router.ts";
import type { createRouter } from "../../inboxes/create-router.ts";
import type { inboxesRouter } from "../../inboxes/router.ts";
import type { issuedKeysRouter } from "../../keys/issued/router.ts";
import type { authRouter } from "../../keys/router.ts";
import type { quarantineRouter } from "../../messages/quarantine/router.ts";
import type { messagesRouter } from "../../messages/router.ts";
import type { threadsRouter } from "../../messages/threads/router.ts";
import { callProcedure } from "../../procedures/chain.ts";
import { toServiceError } from "../../procedures/errors.ts";
import { issueOf } from "../../procedures/issues.ts";
import { procedureTypes } from "../../procedures/meta.ts";
import type { Download, RequestContext } from "../../procedures/procedures.ts";
import { namesIn, SUMMARY_LIST_CHARS } from "../../receiving/headers.ts";
import type { listsRouter } from "../../recipients/lists/router.ts";
import type { suppressionsRouter } from "../../recipients/suppressions/router.ts";
import type { draftsRouter } from "../../sending/drafts/router.ts";
import type { dryRunRouter } from "../../sending/dry-run/router.ts";
import type { sendingRouter } from "../../sending/router.ts";
import type { webhooksRouter } from "../../webhooks/router.ts";
import { downloadElsewhere } from "../bodies/download.ts";
import type { Socket } from "./socket.ts";

type Of<Kind extends "in" | "out", Each> = Each extends AnyTRPCRouter
  ? Kind extends "in"
    ? inferRouterInputs<Each>
    : inferRouterOutputs<Each>
  : never;
type Verbs<Kind extends "in" | "out"> = {
  auth: Of<Kind, typeof authRouter>;
  events: Of<Kind, typeof eventsRouter>;
  inboxes: Of<Kind, typeof createRouter> & Of<Kind, typeof inboxesRouter>;
  messages: Of<Kind, typeof messagesRouter> &
    Of<Kind, typeof quarantineRouter> &
    Of<Kind, typeof sendingRouter> &
    Of<Kind, typeof dryRunRouter>;
  threads: Of<Kind, typeof threadsRouter>;
  drafts: Of<Kind, typeof draftsRouter>;
  lists: Of<Kind, typeof listsRouter>;
  suppressions: Of<Kind, typeof suppressionsRouter>;
  domains: Of<Kind, typeof domainsRouter>;
  webhooks: Of<Kind, typeof webhooksRouter>;
  issuedKeys: Of<Kind, typeof issuedKeysRouter>;
};
type Follow = inferRouterInputs<typeof eventsRouter>["onEvent"];
type Followed = inferRouterOutputs<typeof eventsRouter>["onEvent"];
export type EventView = Followed extends AsyncIterable<{ data: infer View }> ? View : never;
type Inputs = Verbs<"in">;
type Outputs = Verbs<"out">;
export type Input<Noun extends keyof Inputs, Verb extends keyof Inputs[Noun]> = Inputs[Noun][Verb];
export type Output<Noun extends keyof Outputs, Verb extends keyof Outputs[Noun]> = Outputs[Noun][Verb];

/** A procedure that sends bytes, and its input. */
export type StoredFile = { procedure: "messages.attachment" | "messages.raw" | "drafts.attachment"; input: object };

/** One request of a drop-in API. `call` calls a procedure with all of its middleware, as the caller. */
export type Api = {
  actor: Agent;
  services: Services;
  /** The Idempotency-Key header. */
  idempotencyKey: string | undefined;
  /** Counts further requests against the rate limit, before they are made. @throws ServiceError `rate_limited` */
  take(requests: number): void;
  /** Counts reads by which one answer is made: each ten as one more request. @throws ServiceError `rate_limited` */
  takeReads(reads: number): void;
  /** Counts changes that one call makes one by one: each two as one more request. @throws ServiceError `rate_limited` */
  takeChanges(changes: number): void;
  /** A header of the request. */
  header(name: string): string | undefined;
  /** The agent key, to make links that download with it. */
  key: string;
  /** Where the client reaches this API, without a slash at the end. */
  base: string;
  call<Noun extends keyof Inputs & keyof Outputs, Verb extends keyof Inputs[Noun] & keyof Outputs[Noun] & string>(
    noun: Noun,
    verb: Verb,
    input: Inputs[Noun][Verb],
    more?: { idempotencyKey?: string | undefined },
  ): Promise<Outputs[Noun][Verb]>;
  /** The octets of a file, which is read for it. */
  sizeOf(file: StoredFile): Promise<number>;
  /** Follows the log of events until `signal` aborts, which counts as one request. @throws ServiceError; also while it is read */
  follow(input: Follow, signal: AbortSignal): Promise<AsyncIterable<EventView>>;
};

/** The body is sent as JSON, a text as it is; undefined: there is none. */
type Answer = { status: number; body?: unknown };

export type Route = {
  method: string;
  /** Of the parts of its path: a literal, or `{name}`. */
  pattern: string;
  /** Whether the body may be as large as a send. */
  isLarge: boolean;
  /** Whether the body is a list. */
  isList: boolean;
  input: z.ZodType;
  run(api: Api, names: Record<string, string>, input: unknown): Promise<Answer>;
};

export type Vendor = {
  routes: Route[];
  /** Names and words of errors, and their equivalents in the other API. */
  words: Words;
  /** The status and body of an error, as the other API has them. */
  refusal(error: ServiceError): { status: number; body: object };
  /** Paths, with all below them, that have no counterpart here, and why. */
  absent?: [path: string, why: string][];
  /** Calls without a key, which have no counterpart here, and why. */
  withoutKey?: [method: string, path: string, why: string][];
  /** The path that means the same without a container that every caller has one of. @throws ServiceError */
  plainPath?(path: string, actor: Agent): string;
  /** What clients open over WebSocket, at `path`, with their key in the header or as `api_key` of the query. */
  socket?: { path: string; serve(api: Api, socket: Socket): void };
};

/** Names of the other API, by the paths of ours without positions: `attachments.url`. */
type FieldNames = Record<string, string>;
type Words = {
  /** Of fields of our calls. */
  fields: FieldNames;
  /** Of sentences, in this order. */
  texts: [ours: string, theirs: string][];
};

/** An error in sentences of the other API. */
export function inWordsOf({ texts }: Words, error: ServiceError): ServiceError {
  const said = (text: string) => texts.reduce((all, [ours, theirs]) => all.replaceAll(ours, theirs), text);
  const { code, message, headers, body, cause } = error;
  const issues = error.issues?.map(({ path, message: what }) => ({ path, message: said(what) }));
  return new ServiceError(code, said(message), {
    fix: said(error.fix),
    headers,
    body,
    cause,
    ...(issues && { issues }),
  });
}

/**
 * Awaits a call whose fields have other names than those of the route.
 * @throws ServiceError with the names of the route
 */
export function withFieldNames<Result>(fields: FieldNames, asked: Promise<Result>): Promise<Result> {
  return asked.catch((error) => {
    const { code, message, fix, headers, body, cause, issues } = toServiceError(error);
    const [first] = issues ?? [];
    if (!issues || !first) throw error;
    const named = issues.map((each) => ({ ...each, path: fieldName(fields, each.path) }));
    // What begins with the path of the field says what is wrong with it.
    const isNamed = message.startsWith(`${first.path}: `);
    const words = isNamed ? `${fieldName(fields, first.path)}${message.slice(first.path.length)}` : message;
    throw new ServiceError(code, words, { fix, headers, body, cause, issues: named });
  });
}

/** The path of a field with the names of the other API. */
export function fieldName(fields: FieldNames, path: string): string {
  let within = "";
  const names = path.split(".").map((name) => {
    if (/^\d+$/.test(name)) return name;
    within = within === "" ? name : `${within}.${name}`;
    return Object.hasOwn(fields, within) ? fields[within] : name;
  });
  return names.join(".");
}

export type Find = (method: string, path: string) => { route: Route; names: Record<string, string> } | undefined;

/** Finds the route of a path. Literals go before names, which `decodeName` reads. */
export function findIn({ routes }: Vendor, decodeName: (raw: string) => string): Find {
  const rows = routes
    .map((route) => ({ route, parts: route.pattern.split("/") }))
    .sort((a, b) => countNames(a.parts) - countNames(b.parts));
  const byDepth = Map.groupBy(rows, ({ parts }) => parts.length);
  return (method, path) => {
    const given = path.split("/");
    const row = byDepth
      .get(given.length)
      ?.find(
        ({ route, parts }) => route.method === method && parts.every((part, i) => isName(part) || part === given[i]),
      );
    if (!row) return;
    const names = row.parts.flatMap((part, i) =>
      isName(part) ? [[part.slice(1, -1), decodeName(given[i] ?? "")]] : [],
    );
    return { route: row.route, names: Object.fromEntries(names) };
  };
}

const isName = (part: string) => part.startsWith("{");
const countNames = (parts: string[]) => parts.filter(isName).length;

/**
 * A route of a drop-in API.
 * @param endpoint method and path: `GET /v0/inboxes/{inbox_id}`
 * @param input the schema of the query (GET, DELETE) or of the body
 */
export function route<Input extends z.ZodType>(
  endpoint: string,
  input: Input,
  run: (api: Api, names: Record<string, string>, input: z.infer<Input>) => Promise<unknown>,
  { status = 200, isLarge = false, isList = false }: { status?: number; isLarge?: boolean; isList?: boolean } = {},
): Route {
  const [method = "", pattern = ""] = endpoint.split(" ");
  return {
    method,
    pattern,
    isLarge,
    isList,
    input,
    async run(api, names, given) {
      const body = await run(api, names, given as z.infer<Input>);
      return body === undefined ? { status: 204 } : { status, body };
    },
  };
}

/** What a client sent, as the schema reads it. @throws ServiceError `invalid_request`, with an issue for each field */
export function readInput<Schema extends z.ZodType>(schema: Schema, given: unknown): z.infer<Schema> {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  throw invalid(read.error);
}

function invalid(error: z.ZodError): ServiceError {
  const issues = error.issues
    .slice(0, ISSUES_MAX)
    .flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys
            .slice(0, ISSUES_MAX)
            .map((key) => ({ path: [...issue.path, key].join("."), message: "has no counterpart here" }))
        : [issueOf(issue)],
    );
  const [first] = issues;
  const where = first?.path ? `${first.path}: ` : "";
  return new ServiceError("invalid_request", `${where}${first?.message ?? "The request is not valid."}`, { issues });
}

/** Routes that exist in the other API and have no counterpart here. @param why a sentence for the caller */
export function absent(endpoints: string[], why: string): Route[] {
  const refusal = async () => {
    throw notAvailable(why);
  };
  return endpoints.map((endpoint) => ({ ...route(endpoint, z.unknown(), refusal), isLarge: true }));
}

export function notAvailable(why: string): ServiceError {
  return new ServiceError("invalid_request", why, { fix: 'The guide "Moving" lists what maps and what does not.' });
}

/** A field that has no counterpart here. It may be left out, or have a value that changes nothing. */
export const without = (why: string, ...allowed: unknown[]) =>
  z
    .unknown()
    .optional()
    .refine((value) => value === undefined || value === null || isEmptyList(value) || allowed.includes(value), why);
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** Of files that come without a media type. */
const TYPES = new Map([
  ["csv", "text/csv"],
  ["eml", "message/rfc822"],
  ["gif", "image/gif"],
  ["html", "text/html"],
  ["ics", "text/calendar"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["json", "application/json"],
  ["md", "text/markdown"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["txt", "text/plain"],
  ["webp", "image/webp"],
  ["xml", "application/xml"],
  ["zip", "application/zip"],
]);

function typeOf(filename: string): string {
  return TYPES.get(/\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? "") ?? "application/octet-stream";
}

type GivenFile = {
  filename?: string | undefined;
  content_type?: string | undefined;
  content?: string | undefined;
  url?: string | undefined;
  content_id?: string | undefined;
};

/** An attachment of a send: of base64, or of a URL that the procedure fetches. It refuses both and neither. */
export function fileOf({ filename, content_type, content, url, content_id }: GivenFile) {
  const id = content_id === undefined ? {} : { content_id };
  if (url !== undefined && content === undefined) {
    return {
      url,
      ...id,
      ...(filename !== undefined && { filename }),
      ...(content_type !== undefined && { content_type }),
    };
  }
  return {
    ...id,
    filename: filename ?? "attachment",
    content_type: content_type ?? typeOf(filename ?? ""),
    ...(content !== undefined && { content_base64: content }),
    ...(url !== undefined && { url }),
  };
}

type Bodies = { text?: string | null | undefined; html?: string | null | undefined };

/** The text of a mail that has none. Our sends take no empty one, and in a mail both are one empty line. */
const EMPTY_LINE = "\n";

/** The text that a mail without any gets, for calls of which the other service asks for none. */
export const missingBody = ({ text, html }: Bodies) => (text || html ? {} : { text: EMPTY_LINE });

export const withBody = <Content extends Bodies>(content: Content) => ({ ...content, ...missingBody(content) });

/** The Reply-To of a send, if there is one. An empty list names none. */
export function replyToOf(given: string | string[] | undefined): { reply_to?: string | string[] } {
  const [only, ...more] = [given ?? []].flat();
  if (only === undefined) return {};
  return { reply_to: more.length === 0 ? only : [only, ...more] };
}

/** A number in a query or a body. The procedure checks its bounds. */
export const limitField = z.coerce.number().optional();
/** The body of a request that needs none, and whatever a client sends with it. */
export const anyInput = z.unknown();

/** Reads each item for one answer, and counts the reads. @throws ServiceError `rate_limited`, before the first */
export function readEach<Item, Result>(api: Api, items: Item[], read: (item: Item) => Promise<Result>) {
  api.takeReads(items.length);
  return eachOf(items, read);
}

type Received = Pick<Output<"messages", "list">["data"][number], "id" | "status">;

/** Whether the files and the text of a message are known. */
const isRead = ({ status }: Received) => status !== "received";

/** Settles when a list has waited long enough for mail that is not read yet, of all its pages together. */
export const readWait = () => delay(READ_WAIT_MS, undefined, { ref: false });
const READ_WAIT_MS = 5_000;

/**
 * Waits for the mail of a page to be read. Mail that is still not read then is listed without files and preview: a client that
 * continues after the newest row of a page would never see what a page leaves out. For the same reason mail that arrives during the wait
 * waits for the next page. Each ten mails that are waited for count as one more request.
 */
export function readPages<Row extends Received>(api: Api, fetch: Fetch<Row>, timeUp = readWait()): Fetch<Row> {
  return async (page) => {
    const first = await fetch(page);
    const unread = first.data.filter((row) => !isRead(row));
    if (unread.length === 0) return first;
    await readInTime(api, unread, timeUp);
    const known = new Set(first.data.map(({ id }) => id));
    const again = await fetch(page);
    return { ...again, data: again.data.filter(({ id }) => known.has(id)) };
  };
}

/** Settles when these are read, or the time is up. */
async function readInTime(api: Api, unread: Received[], timeUp: Promise<undefined>): Promise<void> {
  let isOver = false;
  const over = timeUp.then(() => {
    isOver = true;
  });
  const all = readEach(api, unread, async ({ id }) => {
    if (!isOver) await ifThere(api.call("messages", "get", { id }));
  });
  await Promise.race([all, over]);
}

/** The whole messages of a page, without deleted ones. One that is not read in time is represented by its row. */
export async function wholeMessages<Row extends Received>(api: Api, rows: Row[]) {
  const timeUp = readWait();
  const whole = await readEach(api, rows, (row) => {
    const message = ifThere(api.call("messages", "get", { id: row.id }));
    return isRead(row) ? message : Promise.race([message, timeUp.then(() => row)]);
  });
  return whole.filter((each) => each !== undefined);
}

/** Calls a function for each, a few at the same time, and keeps the order. */
export async function eachOf<Item, Result>(items: Item[], run: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  async function slot(): Promise<void> {
    for (let at = next++; at < items.length; at = next++) results[at] = await run(items[at] as Item);
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, slot));
  return results;
}
const AT_ONCE = 8;

/** The views of whole messages. Other requests run between them, because the headers of each are parsed. */
export const viewEach = <Item, View>(items: Item[], view: (item: Item) => View) =>
  eachOf(items, async (item) => {
    await nextTurn();
    return view(item);
  });
/** They are reads of one page, which share queries. */
const READS_PER_REQUEST = 10;
/** So that the largest batch of the other service fits into the burst of the rate limit. */
const CHANGES_PER_REQUEST = 2;

export type Fetch<Item> = (page: {
  limit: number;
  cursor?: string;
}) => Promise<{ data: Item[]; next_cursor: string | null }>;

/**
 * A list of what `keep` keeps. Programs take an empty page for the end: it is replaced by the next page, which counts as a
 * request. After a few of them a page can be empty.
 */
export function sifted<Item, Kept>(
  api: Api,
  fetch: Fetch<Item>,
  keep: (items: Item[]) => Kept[] | Promise<Kept[]>,
): Fetch<Kept> {
  return async (first) => {
    let page = first;
    for (let read = 1; ; read += 1) {
      const { data, next_cursor } = await fetch(page);
      const kept = await keep(data);
      if (kept.length > 0 || next_cursor === null || read === SIFTED_PAGES) return { data: kept, next_cursor };
      api.take(1);
      page = { limit: first.limit, cursor: next_cursor };
    }
  };
}
const SIFTED_PAGES = 10;

/**
 * A whole list, for an order or a place that our lists do not have. Each page counts as a request.
 * @param limit of the page that is wanted
 * @throws ServiceError `invalid_request` if it is long, or for a wrong limit
 */
export async function walk<Item>(api: Api, limit: number, fetch: Fetch<Item>): Promise<Item[]> {
  if (!Number.isInteger(limit) || limit < 1 || limit > WALK_ITEMS) {
    throw invalidField("limit", `must be between 1 and ${WALK_ITEMS}`);
  }
  const all: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < WALK_PAGES; page += 1) {
    api.take(1);
    const { data, next_cursor } = await fetch({ limit: WALK_ITEMS, ...(cursor !== undefined && { cursor }) });
    all.push(...data);
    if (next_cursor === null) return all;
    cursor = next_cursor;
  }
  throw notAvailable(`This is read as a whole here, and it has more than ${WALK_ITEMS * WALK_PAGES} items.`);
}
export const WALK_ITEMS = 100;
const WALK_PAGES = 20;

/** Undefined if it is gone. */
export function ifThere<Result>(asked: Promise<Result>): Promise<Result | undefined> {
  return asked.catch((error) => {
    if (toServiceError(error).status === 404) return undefined;
    throw error;
  });
}

/** @param context of the request, which was counted. What the answer needs beyond a few calls is counted by `take` and `takeReads`. */
export function createApi(
  router: AnyTRPCRouter,
  context: RequestContext,
  { fields, ...caller }: Pick<Api, "actor" | "key" | "base" | "header"> & { fields: FieldNames },
): Api {
  const types = procedureTypes(router);
  const take = (requests: number) => {
    for (let each = 0; each < requests; each += 1) context.takeRequest(caller.actor, context.headers);
  };
  return {
    ...caller,
    services: context.services,
    idempotencyKey: context.idempotencyKey,
    take,
    takeReads: (reads) => take(Math.floor(reads / READS_PER_REQUEST)),
    takeChanges: (changes) => take(Math.floor(changes / CHANGES_PER_REQUEST)),
    async call(noun, verb, input, more = {}) {
      const path = `${noun}.${verb}`;
      const ctx = {
        ...context,
        ...more,
        // Clients of the other API do not know these headers. Those of the rate limit are set for the whole request.
        headers: {},
        takeRequest: () => undefined,
      };
      const type = types.get(path) ?? "query";
      return withFieldNames(fields, callProcedure(router, { path, type, input, ctx, signal: context.signal }));
    },
    async sizeOf(file) {
      const { size, body } = await downloadOf(router, context, file);
      for await (const _ of body) break;
      return size ?? 0;
    },
    async follow(input, signal) {
      const ctx = { ...context, headers: {}, signal };
      const followed = { path: "events.onEvent", type: "subscription", input, ctx, signal };
      return viewsOf(await callProcedure<AsyncIterable<[id: string, view: EventView]>>(router, followed));
    },
  };
}

/** By the procedure that downloads the file: a link gives nothing that its key has lost. */
export async function downloadOf(router: AnyTRPCRouter, context: RequestContext, file: StoredFile): Promise<Download> {
  let download: Download | undefined;
  const ctx: RequestContext = {
    ...context,
    async send(what) {
      download = what;
      return downloadElsewhere(context, what);
    },
  };
  await callProcedure(router, { path: file.procedure, type: "query", input: file.input, ctx, signal: context.signal });
  if (!download) throw new Error(`${file.procedure} sent no bytes`);
  return download;
}

/** tRPC's events with ids (`tracked`), without them. */
async function* viewsOf(events: AsyncIterable<[id: string, view: EventView]>) {
  for await (const [, view] of events) yield view;
}

type Named = {
  recipients?: { address: string; name?: string | undefined }[] | undefined;
  headers?: { name: string; value: string }[] | undefined;
};

/**
 * The addresses in a header of a message with the names that it shows. Of a sent message To and Cc are known with them, of a
 * received one all three are in its headers, which rows of lists do not have. Of long headers the beginning is read: strangers wrote
 * them, and a page has many.
 */
export function withNames(addresses: string[], { recipients, headers = [] }: Named, header: Header): string[] {
  if (recipients)
    return writeRecipients(
      addresses,
      recipients.map(({ address, name = "" }) => [address, name]),
    );
  const lines = headers.map(({ name, value }): [string, string] => [name, value]);
  const names = namesIn({ lines, charset: "" }, { header, addresses, maxChars: SUMMARY_LIST_CHARS });
  return writeRecipients(
    addresses,
    addresses.map((address) => [address, shownName(names.get(address.toLowerCase()) ?? "")]),
  );
}
type Header = "to" | "cc" | "reply-to";
