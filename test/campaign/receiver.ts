// A customer's webhook endpoint: verifies every delivery, answers the first attempt of some with 500, notes what it took.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { verifyWebhook } from "#client/verify-webhook.ts";
import { fractionOf } from "./random.ts";

const FAILING = 0.2;
/** Answers take up to this long, so that a kill may come between. */
const ANSWER_MAX_MS = 200;
const DELIVERY_HEADER = "x-service-delivery";

/** @param seed decides which deliveries fail once */
export async function startReceiver(seed: number) {
  const secret = { value: "" };
  const failedOnce = new Set<string>();
  /** Message id → the delivery ids under which it came and was answered with 200. */
  const taken = new Map<string, Set<string>>();
  const counts = { attempts: 0, failed: 0, unsigned: 0 };

  function answer(body: string, headers: Record<string, string | string[] | undefined>): number {
    counts.attempts += 1;
    const delivery = String(headers[DELIVERY_HEADER]);
    let message: string;
    try {
      message = verifyWebhook(body, headers, secret.value).message.id;
    } catch {
      counts.unsigned += 1;
      return 400;
    }
    if (!failedOnce.has(delivery) && fractionOf(`${seed} ${delivery}`) < FAILING) {
      failedOnce.add(delivery);
      counts.failed += 1;
      return 500;
    }
    taken.set(message, (taken.get(message) ?? new Set()).add(delivery));
    return 200;
  }

  const server = createServer(async (request, response) => {
    try {
      const status = answer(await text(request), request.headers);
      await sleep(fractionOf(`${seed} pause ${counts.attempts}`) * ANSWER_MAX_MS);
      response.writeHead(status).end();
    } catch {
      response.destroy(); // the sender was killed in the middle of its request
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    secret,
    taken,
    counts,
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}
