// Serves HTML mail at GET /mail-html/{id}, as a separate document for a frame of the dashboard, under a separate
// policy: no scripts, no requests, an opaque origin (docs/decisions/021).
import type { IncomingMessage, ServerResponse } from "node:http";
import { ServiceError } from "../base/errors.ts";
import { shownHtml } from "../messages/shown/html.ts";
import { identified, type RequestContext, requireMember } from "../procedures/procedures.ts";

export const MAIL_BASE = "/mail-html";

const POLICY = [
  "sandbox allow-popups allow-popups-to-escape-sandbox",
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/**
 * This layer comes first, because important rules in an earlier layer override everything in the mail. Mail is designed
 * for white paper, so it is shown on white in dark mode too.
 */
const STYLE = `@layer frame {
  html { color-scheme: light; background: #fff !important; }
  body { margin: 1rem; color: #14262e; font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: break-word; }
  img { max-width: 100%; height: auto; }
  img:not([src]) { min-height: 1em; outline: 1px dashed #b9b4a8; outline-offset: -1px; color: #5a6d75; font-size: 12px; }
  img:not([src]):is([width="0"], [width="1"], [height="0"], [height="1"]) { display: none; }
  pre { white-space: pre-wrap; }
  a[data-leads-to]:is(:hover, :focus-visible)::after {
    content: attr(data-leads-to) !important; position: fixed !important; inset: auto auto 0 0 !important; z-index: 2147483647 !important;
    display: block !important; visibility: visible !important; opacity: 1 !important; max-width: 90vw !important;
    padding: 3px 10px !important; border-radius: 0 6px 0 0 !important; background: #14262e !important; color: #fff !important;
    font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace !important; text-indent: 0 !important; clip-path: none !important;
  }
}`;

/** Answers one request below /mail-html; `route` is its path for logs and metrics. */
export async function handleMail(context: RequestContext, req: IncomingMessage, res: ServerResponse, path: string) {
  if (req.method !== "GET") {
    throw new ServiceError("method_not_allowed", `This path does not take ${req.method}.`, {
      headers: { Allow: "GET" },
    });
  }
  const { services } = context;
  const actor = identified(context, requireMember);
  context.takeRequest(actor, context.headers);
  const pictures = new URLSearchParams(req.url?.split("?")[1]).get("pictures") === "remote" ? "remote" : "attached";
  const { html } = await shownHtml({ ...services, actor }, path.slice(MAIL_BASE.length + 1), pictures);
  // The language of a mail is not known.
  const document =
    `<!doctype html><html lang="und"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta name="referrer" content="no-referrer"><title>Mail</title><style>${STYLE}</style></head><body>${html}</body></html>`;
  const bytes = Buffer.from(document);
  res.writeHead(200, {
    ...context.headers,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": bytes.length,
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "X-DNS-Prefetch-Control": "off",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
  });
  res.end(bytes);
  return { door: "mail", route: `${MAIL_BASE}/{id}` };
}
