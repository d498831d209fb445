// Liveness and readiness: /health/live says the process runs, /health and /health/ready that it can do its work.
import type { Services } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { version } from "../version.ts";

const DATABASE_TIMEOUT_MS = 2_000;

type Health = { status: 200 | 503; body: { status: "ok" | "unavailable" | "stopping"; [fact: string]: unknown } };

/** @throws ServiceError `not_found` for another path below /health */
export async function healthOf(services: Services, path: string, draining: boolean): Promise<Health> {
  const facts = { version, roles: services.settings.ROLES };
  if (path === "/health/live") return { status: 200, body: { status: "ok", ...facts } };
  if (path !== "/health" && path !== "/health/ready") throw new ServiceError("not_found", `There is no path ${path}.`);
  const database = (await databaseAnswers(services)) ? "ok" : "unavailable";
  if (draining) return { status: 503, body: { status: "stopping", ...facts, database } };
  return { status: database === "ok" ? 200 : 503, body: { status: database, ...facts, database } };
}

async function databaseAnswers({ sql, log }: Services): Promise<boolean> {
  const timeout = new Promise<false>((resolve) => setTimeout(resolve, DATABASE_TIMEOUT_MS, false).unref());
  const answer = sql`select 1`.then(
    () => true,
    (error) => {
      log.warn({ err: error }, "the database does not answer");
      return false;
    },
  );
  return Promise.race([answer, timeout]);
}
