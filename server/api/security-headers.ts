// The security headers of every answer, including errors.
import type { Settings } from "../base/env.ts";

const ONE_YEAR_SECONDS = 31_536_000;

/** Name and value of each. */
export function securityHeaders({ PUBLIC_URL }: Pick<Settings, "PUBLIC_URL">): [string, string][] {
  const isHttps = new URL(PUBLIC_URL).protocol === "https:";
  return [
    ["X-Content-Type-Options", "nosniff"],
    ...(isHttps ? ([["Strict-Transport-Security", `max-age=${ONE_YEAR_SECONDS}`]] as [string, string][]) : []),
  ];
}
