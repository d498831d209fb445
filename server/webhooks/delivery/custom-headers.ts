// The headers that a customer adds to the deliveries of a webhook: they are stored sealed, and never shown.
import type { Services } from "../../base/context.ts";
import { invalidField } from "../../base/errors.ts";

const HEADERS_MAX = 10;
const NAME_CHARS = 64;
const VALUE_CHARS = 1_024;
const TOTAL_CHARS = 4_096;
/** RFC 9110 §5.1 and §5.5, without letters outside ASCII. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
/** What the service sets, and what is of one connection. */
const RESERVED =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|date|via|forwarded|user-agent|traceparent|tracestate|(?:content|proxy|webhook|svix|sec|x-forwarded)-.*)$/;

export type CustomHeaders = Record<string, string>;

/** @throws ServiceError `invalid_request` */
export function checkHeaders({ settings }: Pick<Services, "settings">, headers: CustomHeaders): void {
  const names = Object.keys(headers);
  if (names.length > HEADERS_MAX) throw invalidField("headers", `at most ${HEADERS_MAX}`);
  const own = `x-${settings.SERVICE_NAME.toLowerCase()}-`;
  const seen = new Set<string>();
  let total = 0;
  for (const name of names) {
    const value = headers[name] ?? "";
    const lower = name.toLowerCase();
    const field = `headers.${name.slice(0, NAME_CHARS)}`;
    if (!NAME.test(name) || name.length > NAME_CHARS) throw invalidField(field, "not the name of a header");
    if (RESERVED.test(lower) || lower.startsWith(own)) throw invalidField(field, "the service sets this header itself");
    if (seen.has(lower)) throw invalidField(field, "is given twice");
    if (!VALUE.test(value) || value.length > VALUE_CHARS) {
      throw invalidField(field, `1 to ${VALUE_CHARS} printable ASCII characters, without a space at either end`);
    }
    seen.add(lower);
    total += name.length + value.length;
  }
  if (total > TOTAL_CHARS) throw invalidField("headers", `at most ${TOTAL_CHARS} characters in all`);
}

/** Callers cannot read the headers, and they may be secrets of one server: they stay with the origin they were given for. */
export function headersMayGo(from: string, to: string): boolean {
  return new URL(from).origin === new URL(to).origin;
}

/** Another context than that of the secret, so that neither can take the other's place. */
const contextOf = (webhookId: string) => `${webhookId} headers`;

export function sealHeaders({ secrets }: Pick<Services, "secrets">, webhookId: string, headers: CustomHeaders) {
  const names = Object.keys(headers);
  if (names.length === 0) return { headers: null, header_names: null };
  return { headers: secrets.seal(JSON.stringify(headers), contextOf(webhookId)), header_names: names };
}

/** @throws Error if it was sealed with another ENCRYPTION_KEY */
export function openHeaders(
  { secrets }: Pick<Services, "secrets">,
  webhookId: string,
  sealed: Buffer | null,
): CustomHeaders {
  return sealed === null ? {} : JSON.parse(secrets.open(sealed, contextOf(webhookId)));
}
