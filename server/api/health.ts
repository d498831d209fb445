// Liveness and readiness: /health/live says that the process runs, /health and /health/ready that it can work.
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { version } from "../base/version.ts";

const DATABASE_TIMEOUT_MS = 2_000;
/** Everyone may call readiness, so all calls within this time share one write. */
const WRITE_EVERY_MS = 2_000;
/** SQLSTATE → the message for the caller. */
const WRITE_PROBLEMS: Record<string, Writes> = { "53100": "disk_full", "25006": "read_only" };

type Writes = "ok" | "disk_full" | "read_only" | "failed" | "timed_out";
type Health = { status: 200 | 503; body: { status: "ok" | "unavailable" | "stopping"; [fact: string]: unknown } };

/** @throws ServiceError `not_found` for another path below /health */
type HealthOf = (path: string, draining: boolean) => Promise<Health>;

/** @param pagesState of the pages that this process serves. While they are built it is not ready, so that a load balancer sends no readers. */
export function createHealth(services: Services, pagesState?: () => "building" | "ready" | "failed"): HealthOf {
  const checkWrites = createWriteCheck(services);
  return async (path, draining) => {
    const facts = { version, roles: services.settings.ROLES };
    if (path === "/health/live") return { status: 200, body: { status: "ok", ...facts } };
    if (path !== "/health" && path !== "/health/ready")
      throw new ServiceError("not_found", `There is no path ${path}.`);
    const began = performance.now();
    const [answers, writes] = await Promise.all([
      within(false, databaseAnswers(services)),
      within("timed_out", checkWrites()),
    ]);
    const database = answers ? "ok" : "unavailable";
    const pages = pagesState?.();
    const measured = { milliseconds: Math.ceil(performance.now() - began), queries: services.reads.turns.count() };
    const body = { ...facts, database, writes, ...(pages && { pages }), ...measured };
    if (draining) return { status: 503, body: { status: "stopping", ...body } };
    const ready = answers && writes === "ok" && pages !== "building";
    return { status: ready ? 200 : 503, body: { status: ready ? "ok" : "unavailable", ...body } };
  };
}

function within<T>(otherwise: T, work: Promise<T>): Promise<T> {
  const timeout = new Promise<T>((resolve) => setTimeout(resolve, DATABASE_TIMEOUT_MS, otherwise).unref());
  return Promise.race([work, timeout]);
}

function databaseAnswers({ probes, log }: Services): Promise<boolean> {
  return probes`select 1`.then(
    () => true,
    (error) => {
      log.warn({ err: error }, "the database does not answer");
      return false;
    },
  );
}

function createWriteCheck(services: Services): () => Promise<Writes> {
  let startedAt = Number.NEGATIVE_INFINITY;
  let underWay = false;
  let latest: Promise<Writes> = Promise.resolve("ok");
  return () => {
    if (!underWay && performance.now() - startedAt >= WRITE_EVERY_MS) {
      startedAt = performance.now();
      underWay = true;
      latest = tryWrite(services).finally(() => {
        underWay = false;
      });
    }
    return latest;
  };
}

/**
 * Commits a write that needs a new page on the disk. An update would fit into an existing page and succeed on a full
 * disk. A temporary table leaves nothing behind, and no other session can lock it.
 */
async function tryWrite({ probes, log }: Services): Promise<Writes> {
  try {
    await probes`create temporary table write_check on commit drop as select 1 as written`;
    return "ok";
  } catch (error) {
    log.warn({ err: error }, "the database does not accept writes");
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return WRITE_PROBLEMS[code] ?? "failed";
  }
}
