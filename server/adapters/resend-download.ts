// Downloads the raw bytes of a mail that Resend received, within limits of address, size, memory and time.
import { Agent, type buildConnector, request } from "undici";
import { isLoopback } from "../base/env.ts";
import { createLimiter, type Limiter } from "../base/limiter.ts";
import type { Download } from "../base/ports/provider-events.ts";

const DOWNLOAD_TIMEOUT_MS = 30_000;
/** Of the body of another answer than 200. */
const DUMPED_BYTES = 65_536;
/** Of all downloads in this process that are not stored yet. */
const BUFFERED_BYTES = 268_435_456;
/** https://resend.com/docs/api-reference/emails/retrieve-received-email: a signed CloudFront URL. */
const HOSTS = ["resend.com", "cloudfront.net"];

export type Downloads = {
  download(url: string, maxBytes: number, closing: AbortSignal): Promise<Download>;
  close(): Promise<void>;
};

type State = { agent: Agent; base: URL; buffered: Limiter };

/**
 * @param baseUrl of Resend's API. Downloads from it over plain HTTP are allowed only if it is loopback.
 * @param dial connects only to permitted addresses
 */
export function createDownloads(baseUrl: string, dial: buildConnector.connector): Downloads {
  const state: State = {
    agent: new Agent({ connect: dial, allowH2: false }),
    base: new URL(baseUrl),
    buffered: createLimiter({ total: BUFFERED_BYTES }),
  };
  return {
    download: (url, maxBytes, closing) => download(state, url, { maxBytes, closing }),
    close: () => state.agent.destroy(),
  };
}

function isAllowed({ base }: State, url: URL | null): url is URL {
  if (url?.username !== "" || url.password !== "") return false;
  if (url.origin === base.origin && isLoopback(base.hostname)) return true;
  if (url.protocol !== "https:") return false;
  return url.hostname === base.hostname || HOSTS.some((host) => url.hostname.endsWith(`.${host}`));
}

const later = (error: string): Download => ({ outcome: "later", error });

type Bounds = { maxBytes: number; closing: AbortSignal };

async function download(state: State, given: string, { maxBytes, closing }: Bounds): Promise<Download> {
  const url = URL.parse(given);
  if (!isAllowed(state, url)) return later("the download URL is not one of Resend");
  const signal = AbortSignal.any([closing, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]);
  try {
    // `request` follows no redirects.
    const { statusCode, body } = await request(url, { dispatcher: state.agent, signal });
    if (statusCode === 200) return await readBytes(state, body, maxBytes);
    await body.dump({ limit: DUMPED_BYTES });
    return later(`the download URL answered ${statusCode}`);
  } catch (error) {
    return later(`the download failed: ${error instanceof Error ? error.message : error}`);
  }
}

async function readBytes({ buffered }: State, body: AsyncIterable<Buffer>, maxBytes: number): Promise<Download> {
  const share = buffered.open();
  const chunks: Buffer[] = [];
  let size = 0;
  const refuse = (outcome: Download) => {
    share.release();
    return outcome;
  };
  try {
    // Leaving the loop destroys the body.
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxBytes) return refuse({ outcome: "too_large" });
      if (share.take(chunk.length)) return refuse(later("too much mail in progress"));
      chunks.push(chunk);
    }
  } catch (error) {
    share.release();
    throw error;
  }
  return { outcome: "raw", raw: Buffer.concat(chunks), release: share.release };
}
