// Asks the facilitator, when a service starts, whether it settles on our network: told in the log, and asked until it answers.
import type { Ctx, System } from "../base/context.ts";
import { NETWORKS } from "./network.ts";

const AGAIN_MS = 60_000;

/** A facilitator that is away keeps no service from starting. */
export function watchFacilitator({ payments, settings, log }: Ctx<System>): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const { PAYMENTS_NETWORK: network, PAYMENTS_FACILITATOR_URL: facilitator } = settings;

  async function ask(): Promise<void> {
    const supports = await payments?.facilitator.supports([network, NETWORKS[network].v1Name]);
    if (stopped) return;
    if (supports) return log.info({ network, facilitator }, "the facilitator settles on our network");
    const problem = supports === false ? "does not list our network" : "does not say what it supports";
    log.error({ network, facilitator }, `the facilitator ${problem}: payments will fail; it is asked again`);
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
