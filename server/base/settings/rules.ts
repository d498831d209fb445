// Rules of values that several settings share.
import { z } from "zod";
import { readDatabaseUrl } from "#db/url.ts";
import { readAllowedHost } from "./allowed-host.ts";

export const port = z.coerce.number().int().min(0).max(65535);
export const positive = z.coerce.number().int().min(1);
export const bytes = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
export const url = (protocols: RegExp) => z.url({ protocol: protocols });
export const optional = <T extends z.ZodType>(rule: T) => rule.optional();
export const flag = z.enum(["true", "false"]).transform((value) => value === "true");
export const list = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .transform((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter(Boolean),
    )
    .pipe(z.array(item).min(1));

/** One secret, or the old and the new one while it is changed. */
export const secrets = <T extends z.ZodType<unknown, string>>(item: T) =>
  list(item).refine((all) => all.length <= 2, "one, or two while it is changed, with a comma");

export const allowedHost = z.string().transform((text, context) => {
  const host = readAllowedHost(text);
  if (host) return host;
  const message = `${JSON.stringify(text)} is not a host name, *.name, IP address or range such as 10.1.0.0/16, each with or without :port (IPv6 with a port: [fd00::/8]:8443)`;
  context.issues.push({ code: "custom", message, input: text });
  return z.NEVER;
});

export const origin = z
  .string()
  .refine(
    (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text,
    "origins such as https://app.example.com, without a path; * is not accepted",
  );

export const databaseUrl = z.string().transform((text, context) => {
  try {
    readDatabaseUrl(text);
    return text;
  } catch (error) {
    context.issues.push({ code: "custom", message: error instanceof Error ? error.message : "", input: text });
    return z.NEVER;
  }
});
