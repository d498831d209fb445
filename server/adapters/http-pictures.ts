// Loads the pictures that a mail names from other servers. Strangers choose the addresses, so everything is limited:
// where it connects to, how often it is redirected, how much it reads and how long it takes (docs/decisions/059).
import { Agent, type buildConnector, type Dispatcher, request } from "undici";
import type { Pictures } from "../base/ports/pictures.ts";

const AT_ONCE = 6;
const REDIRECTS_MAX = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Of one picture, and of all pictures of a mail. */
const PICTURE_BYTES = 2_097_152;
const TOTAL_BYTES = 6_291_456;
/** For all pictures of a mail, since the member waits for them. */
const DEADLINE_MS = 10_000;
const HEADERS_MAX_BYTES = 16_384;
/** No cookies, no referrer, and nothing about the member or the mail. */
const HEADERS = {
  accept: "image/png, image/jpeg, image/gif, image/webp",
  "accept-encoding": "identity",
  "user-agent": "Mozilla/5.0 (compatible; Mailberth image proxy)",
};

/** @param dial connects only to permitted addresses */
export function httpPictures(dial: buildConnector.connector): Pictures {
  return { load: (urls) => load(urls, dial) };
}

type Visit = { agent: Dispatcher; signal: AbortSignal; left: number };

async function load(urls: readonly string[], dial: buildConnector.connector): Promise<Map<string, Buffer>> {
  // New sockets for each mail, so that no server can link two members by a connection.
  const agent = new Agent({ connect: dial, allowH2: false, pipelining: 1, maxHeaderSize: HEADERS_MAX_BYTES });
  const visit: Visit = { agent, signal: AbortSignal.timeout(DEADLINE_MS), left: TOTAL_BYTES };
  const loaded = new Map<string, Buffer>();
  const waiting = [...urls];
  const work = async () => {
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
      const bytes = await loadOne(visit, url);
      if (bytes) loaded.set(url, bytes);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await agent.destroy();
  }
  return loaded;
}

/** Each hop of a redirect is checked like the first address. */
async function loadOne(visit: Visit, first: string): Promise<Buffer | undefined> {
  let url = permitted(first);
  try {
    for (let hops = 0; url && hops <= REDIRECTS_MAX; hops += 1) {
      const { agent: dispatcher, signal } = visit;
      const { statusCode, headers, body } = await request(url, { dispatcher, signal, headers: HEADERS });
      if (statusCode === 200 && !headers["content-encoding"]) return await readBytes(visit, body);
      // Reading it would only cost time.
      body.on("error", () => {}).destroy();
      const { location } = headers;
      url = REDIRECTS.has(statusCode) && typeof location === "string" ? permitted(location, url) : undefined;
    }
  } catch {
    // Refused, unreachable, too slow or broken: a picture that is missing shows as such.
  }
  return undefined;
}

function permitted(text: string, base?: URL): URL | undefined {
  const url = URL.parse(text, base);
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  return url && isWeb && url.username === "" && url.password === "" ? url : undefined;
}

async function readBytes(visit: Visit, body: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the body.
  for await (const chunk of body) {
    size += chunk.length;
    visit.left -= chunk.length;
    if (size > PICTURE_BYTES || visit.left < 0) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
