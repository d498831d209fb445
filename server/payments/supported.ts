// Checks at start whether the facilitator supports the configured network, and logs the result. Retries until it
// answers.
import type { Ctx, System } from "../base/context.ts";
import { NETWORKS } from "./quote.ts";

const AGAIN_MS = 60_000;

/** An unavailable facilitator does not prevent the start. */
export function watchFacilitator({ payments, settings, log }: Ctx<System>): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const { PAYMENTS_NETWORK: network, PAYMENTS_FACILITATOR_URL: facilitator } = settings;

  async function ask(): Promise<void> {
    const supports = await payments?.facilitator.supports([network, NETWORKS[network].v1Name]);
    if (stopped) return;
    if (supports) return log.info({ network, facilitator }, "the facilitator supports the configured network");
    const problem =
      supports === false ? "does not support the configured network" : "did not answer which networks it supports";
    log.error({ network, facilitator }, `the facilitator ${problem}: payments will fail; will ask again`);
    timer = setTimeout(ask, AGAIN_MS).unref();
  }

  if (payments) void ask();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
