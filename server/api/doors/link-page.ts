// The pages behind links in mail, for people without an account: no script, no cache, no referrer, no search engine.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Services } from "../../base/context.ts";
import { methodNotAllowed, ServiceError } from "../../base/errors.ts";
import { escapeHtml } from "../../base/escape-html.ts";

const POLICY = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const METHODS = ["GET", "HEAD", "POST"];

export type DoorNeeds = {
  services: Services;
  limits: { takeAnonymous(network: string): void };
  client: { network: string };
};

/**
 * Counts the request for its client.
 * @returns its method
 * @throws ServiceError `method_not_allowed`, `rate_limited`
 */
export function takeLinkRequest({ limits, client }: DoorNeeds, { method = "" }: IncomingMessage): string {
  limits.takeAnonymous(client.network);
  if (METHODS.includes(method)) return method;
  throw methodNotAllowed(method, METHODS);
}

/** @param page `title` is text; `content` is HTML, and text of strangers in it must be escaped */
export function sendLinkPage(
  res: ServerResponse,
  method: string,
  { title, content, status = 200 }: { title: string; content: string; status?: number },
): void {
  const page =
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title></head><body>${content}</body></html>`;
  res.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(page),
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
  });
  res.end(method === "HEAD" ? undefined : page);
}

/** What happened, as the content of a page. */
export function problemPage(error: unknown): { status: number; content: string } {
  if (!(error instanceof ServiceError)) throw error;
  const title = error.code === "link_not_found" ? "This link does not work" : "Not done";
  return {
    status: error.status,
    content: `<h1>${title}</h1><p>${escapeHtml(error.message)}</p><p>${escapeHtml(error.fix)}</p>`,
  };
}
