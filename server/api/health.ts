// Liveness and readiness: /health/live says that the process runs, /health and /health/ready that it can work.
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { databaseAnswers, tryWrite, within } from "../base/sampling/probe.ts";
import { shared } from "../base/sampling/shared.ts";
import { version } from "../base/version.ts";
import { createBlobCheck } from "../messages/blobs/check.ts";
import { countReads } from "../procedures/reads.ts";

/** Everyone may call readiness, so all calls within this time share one write. */
const WRITE_EVERY_MS = 2_000;

type Health = { status: 200 | 503; body: { status: "ok" | "unavailable" | "stopping"; [fact: string]: unknown } };

/** @throws ServiceError `not_found` for another path below /health */
type HealthOf = (path: string, draining: boolean) => Promise<Health>;

/** @param pagesState of the pages that this process serves. While they are built it is not ready, so that a load balancer sends no readers. */
export function createHealth(services: Services, pagesState?: () => "building" | "ready" | "failed"): HealthOf {
  const checkWrites = shared(
    () => tryWrite(services),
    () => WRITE_EVERY_MS,
  );
  const checkBlobs = createBlobCheck(services);
  return async (path, draining) => {
    const facts = { version, roles: services.settings.ROLES };
    if (path === "/health/live") return { status: 200, body: { status: "ok", ...facts } };
    if (path !== "/health" && path !== "/health/ready")
      throw new ServiceError("not_found", `There is no path ${path}.`);
    const began = performance.now();
    const [answers, writes, blobs] = await Promise.all([
      databaseAnswers(services),
      within("timed_out", checkWrites()),
      checkBlobs && within("unavailable", checkBlobs()),
    ]);
    const database = answers ? "ok" : "unavailable";
    const pages = pagesState?.();
    const measured = { milliseconds: Math.ceil(performance.now() - began), queries: countReads(services) };
    const body = { ...facts, database, writes, ...(blobs && { blobs }), ...(pages && { pages }), ...measured };
    if (draining) return { status: 503, body: { status: "stopping", ...body } };
    const ready = answers && writes === "ok" && pages !== "building";
    return { status: ready ? 200 : 503, body: { status: ready ? "ok" : "unavailable", ...body } };
  };
}
