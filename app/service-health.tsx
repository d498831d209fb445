// Says in one line whether the service is ready, by polling /health.
"use client";
import { useQuery } from "@tanstack/react-query";

const HEALTH_PATH = "/health";
const ASK_EVERY_MS = 15_000;
const NOT_READY = 503;

const time = new Intl.DateTimeFormat("en", { timeStyle: "medium", hourCycle: "h23" });

type Health = { status: "ok" | "unavailable" | "stopping"; tookMs: number; at: Date };

async function fetchHealth(signal: AbortSignal): Promise<Health> {
  const started = performance.now();
  const response = await fetch(HEALTH_PATH, { signal, cache: "no-store" });
  if (!response.ok && response.status !== NOT_READY) throw new Error(`answered ${response.status}`);
  const { status } = (await response.json()) as Pick<Health, "status">;
  return { status, tookMs: Math.max(1, Math.round(performance.now() - started)), at: new Date() };
}

const STATES: Record<Health["status"], { light: "good" | "warn"; text: string }> = {
  ok: { light: "good", text: "Ready" },
  unavailable: { light: "warn", text: "Not ready: the database is unavailable" },
  stopping: { light: "warn", text: "Not ready: the service is stopping" },
};

export function ServiceHealth() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => fetchHealth(signal),
    refetchInterval: ASK_EVERY_MS,
  });
  const { light, text } = error
    ? { light: "bad", text: "No answer" }
    : data
      ? STATES[data.status]
      : { light: "wait", text: "Asking…" };
  return (
    <p className="health">
      <span className="lamp" data-light={light} role="status">
        {text}
      </span>{" "}
      <span className="fine">
        {error && `${HEALTH_PATH}: ${error.message}`}
        {!error && data && `${HEALTH_PATH} answered in ${data.tookMs} ms at ${time.format(data.at)}`}
      </span>
      {error && (
        <button type="button" className="button small" onClick={() => refetch()} disabled={isFetching}>
          {isFetching ? "Asking…" : "Ask again"}
        </button>
      )}
    </p>
  );
}
