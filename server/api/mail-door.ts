// Serves HTML mail at GET /mail-html/{id}, as a separate document for a frame of the dashboard, under a separate
// policy: no scripts, no requests, an opaque origin (docs/decisions/021).
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { methodNotAllowed } from "../base/errors.ts";
import { queryOf } from "../base/request-target.ts";
import { QUOTED } from "../extraction/html/quote-marks.ts";
import { shownHtml } from "../messages/render/html.ts";
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

const LAYER_BYTES = 16;
/** In the order of the document the mail comes later, so it cannot change which elements these are. */
const HINT = "html > body > aside:first-child";
const MAIL = "html > body > aside:first-child + div";

/**
 * Important rules in an earlier layer override everything in the mail, and this layer comes first. Its name is random, so that the mail
 * cannot add rules to it. Where a link leads is shown outside of the mail's element, which its own boxes cannot leave. Mail is designed
 * for white paper, so it is shown on white in dark mode too.
 */
function styleOf(layer: string, places: string[]): string {
  const hints = places.map((place) => {
    const text = cssText(place);
    return `html > body:has(a[data-leads-to=${text}]:is(:hover, :focus-visible)) > aside:first-child::after { content: ${text} !important; display: block !important; }`;
  });
  return `@layer ${layer} {
  html { color-scheme: light; background: #fff !important; }
  body { margin: 1rem; color: #14262e; font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: break-word; }
  img { max-width: 100%; height: auto; }
  img:not([src]) { min-height: 1em; outline: 1px dashed #b9b4a8; outline-offset: -1px; color: #5a6d75; font-size: 12px; }
  img:not([src]):is([width="0"], [width="1"], [height="0"], [height="1"]) { display: none; }
  pre { white-space: pre-wrap; }
  /* Newsletters are laid out for 600 px. */
  @media (max-width: 40rem) {
    body { overflow-x: auto; }
    ${MAIL} :is(table, td, th, div, center) { width: auto !important; min-width: 0 !important; max-width: 100% !important; }
    ${MAIL} img { max-width: 100% !important; height: auto !important; }
  }
  html, body {
    display: block !important; visibility: visible !important; opacity: 1 !important; position: static !important; zoom: 1 !important;
    transform: none !important; translate: none !important; rotate: none !important; scale: none !important; offset: none !important;
    perspective: none !important; filter: none !important; backdrop-filter: none !important; mix-blend-mode: normal !important;
    clip-path: none !important; clip: auto !important; mask: none !important; contain: none !important; will-change: auto !important;
    content-visibility: visible !important; container-type: normal !important; animation: none !important; transition: none !important;
  }
  ${MAIL} [${QUOTED}] { display: none !important; animation: none !important; transition: none !important; }
  html::before, html::after, body::before, body::after { content: none !important; }
  ${MAIL} {
    display: block !important; position: relative !important; z-index: 0 !important; isolation: isolate !important;
    animation: none !important; transition: none !important;
  }
  ${HINT}, ${HINT}::before, ${HINT}::after { all: initial !important; direction: ltr !important; unicode-bidi: isolate !important; }
  ${HINT} { position: fixed !important; inset: auto auto 0 0 !important; z-index: 2147483647 !important; display: block !important; pointer-events: none !important; }
  ${HINT}::after {
    max-width: 90vw !important; padding: 3px 10px !important; border-radius: 0 6px 0 0 !important; background: #14262e !important;
    color: #fff !important; font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace !important; overflow-wrap: anywhere !important;
  }
  ${hints.join("\n  ")}
}`;
}

/** A string of CSS, in which each character is written by its number. */
function cssText(text: string): string {
  return `"${Array.from(text, (character) => `\\${character.codePointAt(0)?.toString(16)} `).join("")}"`;
}

/** Answers one request below /mail-html; `route` is its path for logs and metrics. */
export async function handleMail(context: RequestContext, req: IncomingMessage, res: ServerResponse, path: string) {
  if (req.method !== "GET") {
    throw methodNotAllowed(req.method, ["GET"]);
  }
  const { services } = context;
  const actor = identified(context, requireMember);
  context.takeRequest(actor, context.headers);
  const query = queryOf(req);
  const pictures = query.get("pictures") === "remote" ? "remote" : "attached";
  const isFolded = query.get("quotes") === "folded";
  const id = path.slice(MAIL_BASE.length + 1);
  const { html, places } = await shownHtml({ ...services, actor }, id, pictures, isFolded);
  const style = styleOf(`l${randomBytes(LAYER_BYTES).toString("hex")}`, places);
  // The language of a mail is not known.
  const document =
    `<!doctype html><html lang="und"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta name="referrer" content="no-referrer"><title>Mail</title><style>${style}</style></head><body><aside></aside><div>${html}</div></body></html>`;
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
