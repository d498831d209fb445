// Shows whether the service is alive and ready, by polling /health.
"use client";
import { useQuery } from "@tanstack/react-query";

const HEALTH_PATH = "/health";
const ASK_EVERY_MS = 15_000;
const NOT_READY = 503;

type Health = { status: "ok" | "unavailable" | "stopping"; tookMs: number; at: Date };

async function fetchHealth(signal: AbortSignal): Promise<Health> {
  const started = performance.now();
  const response = await fetch(HEALTH_PATH, { signal, cache: "no-store" });
  if (!response.ok && response.status !== NOT_READY) throw new Error(`answered ${response.status}`);
  const { status } = (await response.json()) as Pick<Health, "status">;
  return { status, tookMs: Math.max(1, Math.round(performance.now() - started)), at: new Date() };
}

type Light = "good" | "warn" | "bad" | "wait";

function Lamp({ name, light, text }: { name: string; light: Light; text: string }) {
  return (
    <div className="lamp">
      <dt>{name}</dt>
      <dd data-light={light}>{text}</dd>
    </div>
  );
}

const READY: Record<Health["status"], { light: Light; text: string }> = {
  ok: { light: "good", text: "yes" },
  unavailable: { light: "warn", text: "no: the database is unavailable" },
  stopping: { light: "warn", text: "no: the service is stopping" },
};

export function ServiceHealth() {
  const { data, error, isFetching, failureCount, refetch } = useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => fetchHealth(signal),
    refetchInterval: ASK_EVERY_MS,
  });
  const asking = failureCount > 0 ? "asking again…" : "asking…";
  return (
    <section className="health" aria-labelledby="health-title">
      <h2 id="health-title">Right now</h2>
      <dl aria-live="polite">
        {error ? (
          <>
            <Lamp name="Alive" light="bad" text="no answer" />
            <Lamp name="Ready" light="bad" text="unknown" />
          </>
        ) : data ? (
          <>
            <Lamp name="Alive" light="good" text="yes" />
            <Lamp name="Ready" {...READY[data.status]} />
          </>
        ) : (
          <>
            <Lamp name="Alive" light="wait" text={asking} />
            <Lamp name="Ready" light="wait" text={asking} />
          </>
        )}
      </dl>
      <p className="fine">
        {error ? (
          `${HEALTH_PATH}: ${error.message}`
        ) : (
          <>
            <code>{HEALTH_PATH}</code>
            {data && ` answered in ${data.tookMs} ms at ${data.at.toLocaleTimeString()}`}
          </>
        )}
      </p>
      {error && (
        <button type="button" className="button small" onClick={() => refetch()} disabled={isFetching}>
          {isFetching ? "Asking…" : "Ask again"}
        </button>
      )}
    </section>
  );
}
