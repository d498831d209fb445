// Makes and reads links that download one file for a while without a key, as other APIs give them.
import type { Services } from "../../base/context.ts";
import type { Api } from "./route.ts";

export const DOWNLOAD_PATH = "/download/";
const VALID_MS = 15 * 60_000;
const PURPOSE = "compat download";
const LINK_CHARS = 4_000;

/** What a link opens: a procedure that sends bytes, its input, and the agent key with which it is called. */
export type File = { key: string; procedure: "messages.attachment" | "messages.raw"; input: object };
type Sealed = File & { until: number };

/**
 * The link contains the caller's key, encrypted: it downloads this file while the key may read it, and nothing else.
 */
export function downloadLink({ services, key, base }: Api, file: Omit<File, "key">) {
  const until = services.now().getTime() + VALID_MS;
  const sealed = services.secrets.seal(JSON.stringify({ ...file, key, until } satisfies Sealed), PURPOSE);
  return {
    url: `${base}${DOWNLOAD_PATH}${sealed.toString("base64url")}`,
    expires_at: new Date(until).toISOString(),
  };
}

/** Undefined if the link is not ours, was altered, or has expired. */
export function readDownload({ secrets, now }: Pick<Services, "secrets" | "now">, path: string): File | undefined {
  if (path.length > LINK_CHARS) return;
  const sealed = Buffer.from(path.slice(DOWNLOAD_PATH.length), "base64url");
  if (!secrets.isOwn(sealed)) return;
  try {
    const { until, ...file }: Sealed = JSON.parse(secrets.open(sealed, PURPOSE));
    return until > now().getTime() ? file : undefined;
  } catch {
    return; // it was altered
  }
}
