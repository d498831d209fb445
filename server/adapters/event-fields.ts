// The fields of providers' events, within limits, and secrets of which two are valid while they are rotated.
import { hash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { MessageNames } from "../base/ports/provider-events.ts";

const WORDS_CHARS = 2_000;
const ADDRESS_CHARS = 400;
const SECOND_MS = 1_000;
/** The name of the message in headers that a provider repeats in its events. */
export const MARK = "mailberth-id";

/** Words of a server. What is no text counts as missing. */
export const words = z
  .string()
  .transform((text) => text.slice(0, WORDS_CHARS))
  .nullish()
  .catch(null);
export const eventId = z.string().regex(/^[\x21-\x7e]{1,200}$/);
export const recipient = z
  .string()
  .max(ADDRESS_CHARS)
  .transform((address) => (/<([^<>]*)>\s*$/.exec(address)?.[1] ?? address).trim().toLowerCase());
export const time = z.string().pipe(z.coerce.date());
/** Seconds since 1970, with or without a fraction. */
export const seconds = z
  .number()
  .min(0)
  .max(1e11)
  .transform((given) => new Date(given * SECOND_MS));
/** An id that names nothing here is no fault of the event. */
export const id = z
  .string()
  .regex(/^[<\x21-\x7e>]{1,1000}$/)
  .transform((text) => text.replace(/^<|>$/g, ""))
  .nullish()
  .catch(null);

export function named(names: { [Name in keyof MessageNames]?: string | null | undefined }): MessageNames {
  const { providerMessageId = null, taggedId = null, messageId = null, returnPath = null } = names;
  return { providerMessageId, taggedId, messageId, returnPath };
}

/** One line of the words that are there. */
export function joined(...parts: (string | number | null | undefined)[]): string | null {
  return parts.filter((part) => part !== null && part !== undefined && part !== "").join(" ") || null;
}

/** Whether `given` is one of the secrets, compared in constant time. */
export function isOneOf(secrets: string[], given: string): boolean {
  const digest = (text: string) => hash("sha256", text, "buffer");
  return secrets.filter((secret) => timingSafeEqual(digest(secret), digest(given))).length > 0;
}

/** Undefined if the body is not JSON. */
export function parsed(body: Buffer | string): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined; // a text of any kind
  }
}
