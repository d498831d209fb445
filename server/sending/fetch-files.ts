// Fetches the files that a message names by URL, before it is accepted. Callers choose the addresses, so everything is limited:
// where it connects to, how often it is redirected, how much it reads, how long it takes, and how many at the same time.
import { parse as contentDisposition } from "content-disposition";
import { LRUCache } from "lru-cache";
import { detectMimeType } from "nodemailer/lib/mime-funcs";
import { Agent, type Dispatcher, request } from "undici";
import type { Caller, Ctx, Services } from "../base/context.ts";
import { invalidField, ServiceError } from "../base/errors.ts";
import { createLimiter, type Limiter } from "../base/limiter.ts";
import { essenceOf, MEDIA_TYPE, OPAQUE_TYPE } from "../base/media-type.ts";
import { type Bucket, fullBucket, takeToken } from "../base/token-bucket.ts";
import type { SendInput } from "../messages/schema.ts";
import { type Dial, dialFor } from "../webhooks/targets/dial.ts";
import { problemOfUrl, type UrlRules } from "../webhooks/targets/target.ts";

declare module "../base/context.ts" {
  interface Services {
    fileFetches: FileFetches;
  }
}

/** Of one message, at the same time in this process, and those of one organization. */
const URLS_MAX = 10;
const AT_ONCE = 64;
const AT_ONCE_OF_ORGANIZATION = 16;
/** Of one organization, whatever number of keys it has: otherwise they could flood the host of another person. */
const RATE = { perSecond: 1, burst: 60 };
/** Unused buckets are dropped, because they would be full again. */
const ORGANIZATIONS_MAX = 10_000;
const REDIRECTS_MAX = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** For all files of a message, with names, connections and redirects. */
const DEADLINE_MS = 10_000;
const HEADERS_MAX_BYTES = 16_384;
const NAME_CHARS = 255;
/** No cookies and nothing about the caller. */
const HEADERS = { accept: "*/*", "accept-encoding": "identity", "user-agent": "Mailberth (attachments)" };
const PAGES = new Set(["text/html", "application/xhtml+xml"]);
const REFUSED = "ADDRESS_REFUSED";

type FileFetches = { rules: UrlRules; dial: Dial; running: Limiter; buckets: LRUCache<string, Bucket> };
type Attachment = SendInput["attachments"][number];
/** `filename` and `content_type`: as the source says it. */
export type Fetched = { filename?: string | null; content_type?: string; bytes: Buffer };
/** `left`: how many octets the files may have together. `hold` counts each octet that is in memory, and throws if that is too much. */
type Room = { left: number; hold(bytes: number): void };

export function createFileFetches({ settings, ownPorts }: Pick<Services, "settings" | "ownPorts">): FileFetches {
  // The hosts of WEBHOOK_ALLOWED_HOSTS take notices of agents; what they answer may be secret.
  const { ATTACHMENT_ALLOWED_HOSTS, ALLOW_INSECURE_WEBHOOKS } = settings;
  const targets = { WEBHOOK_TARGETS: "public" as const, WEBHOOK_ALLOWED_HOSTS: ATTACHMENT_ALLOWED_HOSTS };
  const rules = { settings: { ...targets, ALLOW_INSECURE_WEBHOOKS }, ownPorts };
  return {
    rules,
    dial: dialFor(rules, DEADLINE_MS),
    running: createLimiter({ total: AT_ONCE, each: AT_ONCE_OF_ORGANIZATION }),
    buckets: new LRUCache({ max: ORGANIZATIONS_MAX }),
  };
}

/**
 * @returns the files by their places in `attachments`
 * @throws ServiceError `invalid_request`, `url_not_attached`, `rate_limited`, `payload_too_large`, and what `hold` throws
 */
export async function fetchFiles(
  { fileFetches, actor }: Ctx<Caller>,
  attachments: Attachment[],
  room: Room,
): Promise<[number, Fetched][]> {
  const asked = attachments.flatMap((attachment, index) =>
    attachment.url === undefined ? [] : [{ attachment, url: attachment.url, index }],
  );
  if (asked.length === 0) return [];
  if (asked.length > URLS_MAX) throw invalidField("attachments", `at most ${URLS_MAX} URLs`);
  for (const { url, index } of asked) {
    const problem = problemOfUrl(url, fileFetches.rules);
    if (problem) throw invalidField(`attachments.${index}.url`, `This URL cannot be attached: ${problem}.`);
  }
  takeRate(fileFetches, actor.organizationId, asked.length);
  const share = fileFetches.running.open(actor.organizationId);
  if (share.take(asked.length)) throw busy("Too many URLs are being fetched at the moment.");
  // New sockets for each message, so that no server can link two callers by a connection.
  const agent = new Agent({
    connect: fileFetches.dial,
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: HEADERS_MAX_BYTES,
  });
  const visit: Visit = { agent, rules: fileFetches.rules, signal: AbortSignal.timeout(DEADLINE_MS), room };
  const failures: unknown[] = [];
  const fetching = asked.map(async ({ attachment, url, index }): Promise<[number, Fetched][]> => {
    try {
      return [[index, await fetchOne(visit, url, attachment, `attachments.${index}.url`)]];
    } catch (error) {
      // Ends the others.
      if (failures.push(error) === 1) await agent.destroy();
      return [];
    }
  });
  // All have ended before the memory that they hold is given back.
  const fetched = (await Promise.all(fetching)).flat();
  share.release();
  await agent.destroy();
  if (failures.length > 0) throw failures[0];
  return fetched;
}

function busy(message: string): ServiceError {
  return new ServiceError("rate_limited", message, { headers: { "Retry-After": "2" } });
}

function takeRate({ buckets }: FileFetches, organizationId: string, count: number): void {
  const now = performance.now();
  const bucket = buckets.get(organizationId) ?? fullBucket(RATE, now);
  buckets.set(organizationId, bucket);
  for (let taken = 0; taken < count; taken += 1) {
    if (!takeToken(RATE, bucket, now)) throw busy("An organization may attach one URL per second, 60 in a burst.");
  }
}

type Visit = { agent: Dispatcher; rules: UrlRules; signal: AbortSignal; room: Room };

/** Nothing that a host says goes into an error, beside its status. */
async function fetchOne(visit: Visit, url: string, asked: Attachment, path: string): Promise<Fetched> {
  try {
    return await follow(visit, url, asked);
  } catch (error) {
    if (error instanceof ServiceError && error.code !== NOT_ATTACHED) throw error;
    const message = `The URL was not attached: ${problemOf(error, visit.signal)}.`;
    throw new ServiceError(NOT_ATTACHED, `${path}: ${message}`, { issues: [{ path, message }] });
  }
}

const NOT_ATTACHED = "url_not_attached";
const refused = (problem: string) => new ServiceError(NOT_ATTACHED, problem);

function problemOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof ServiceError) return error.message;
  if (signal.aborted) return `the whole file did not arrive within ${DEADLINE_MS / 1_000} seconds`;
  if (!(error instanceof Error && "code" in error)) return "the connection failed";
  if (error.code === REFUSED) return "its host is not on the public internet";
  return error.code === "ENOTFOUND" ? "its host does not exist" : "the connection failed";
}

/** Each hop of a redirect is checked like the first address. */
async function follow({ agent, rules, signal, room }: Visit, first: string, asked: Attachment): Promise<Fetched> {
  let url = new URL(first);
  for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
    const { statusCode, headers, body } = await request(url, { dispatcher: agent, signal, headers: HEADERS });
    if (statusCode === 200) {
      const file = nameAndType(url, headers);
      const problem = problemOfAnswer(headers, file, asked);
      if (!problem) return { ...file, bytes: await readBytes(body, room, headers) };
      body.on("error", () => {}).destroy();
      throw refused(problem);
    }
    // Reading it would only cost time.
    body.on("error", () => {}).destroy();
    const { location } = headers;
    if (!REDIRECTS.has(statusCode) || typeof location !== "string") throw refused(`its host answered ${statusCode}`);
    const next = URL.parse(location, url);
    const problem = next ? problemOfUrl(next.href, rules) : "it is not a URL";
    if (!next || problem) throw refused(`it redirects to a URL that is refused: ${problem}`);
    url = next;
  }
  throw refused(`it redirects more than ${REDIRECTS_MAX} times`);
}

type Headers = Record<string, string | string[] | undefined>;
type NameAndType = { filename: string; content_type: string };

/** The name that the host gives to the file, otherwise the end of the path. */
function nameAndType({ pathname }: URL, headers: Headers): NameAndType {
  const type = headers["content-type"];
  return {
    filename: (givenName(headers["content-disposition"]) ?? lastOf(pathname)).slice(-NAME_CHARS) || "attachment",
    content_type: typeof type === "string" && type.length <= NAME_CHARS && MEDIA_TYPE.test(type) ? type : OPAQUE_TYPE,
  };
}

function givenName(header: string | string[] | undefined): string | undefined {
  try {
    const name = typeof header === "string" ? contentDisposition(header).parameters.filename : undefined;
    return name?.split(/[/\\]/).at(-1);
  } catch {
    return undefined; // malformed
  }
}

function lastOf(pathname: string): string {
  const last = pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last; // malformed percent-encoding
  }
}

/** A page in place of a file is most often a sign-in or an error. */
function problemOfAnswer(headers: Headers, file: NameAndType, asked: Attachment): string | undefined {
  if (headers["content-encoding"] !== undefined) return "its host sent it compressed, which was not asked for";
  const name = asked.filename ?? file.filename;
  const expected = essenceOf(asked.content_type ?? detectMimeType(name));
  const isPage = PAGES.has(essenceOf(file.content_type));
  if (isPage && !PAGES.has(expected) && expected !== OPAQUE_TYPE) return "its host answered with a web page";
}

async function readBytes(body: AsyncIterable<Buffer>, room: Room, headers: Headers): Promise<Buffer> {
  const tooLarge = () =>
    new ServiceError(
      "payload_too_large",
      "The attachments with the files of these URLs are too large for one message.",
    );
  if (Number(headers["content-length"] ?? 0) > room.left) throw tooLarge();
  const chunks: Buffer[] = [];
  // Leaving the loop destroys the body.
  for await (const chunk of body) {
    room.left -= chunk.length;
    if (room.left < 0) throw tooLarge();
    room.hold(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
