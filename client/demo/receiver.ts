// The demo's webhook endpoint: an HTTP server on loopback that stores every delivery byte by byte, and answers 200.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

const DELIVERY_MAX_MS = 20_000;

export type Delivery = { rawBody: Buffer; signature: string };

export async function startReceiver() {
  const deliveries: Delivery[] = [];
  let arrived = Promise.withResolvers<void>();
  const server = createServer(async (req, res) => {
    const rawBody = await buffer(req);
    deliveries.push({ rawBody, signature: String(req.headers["x-service-signature"]) });
    res.end();
    arrived.resolve();
    arrived = Promise.withResolvers();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/mail`,
    /**
     * The delivery about the mail with that subject.
     * @throws Error with the other deliveries, after DELIVERY_MAX_MS
     */
    async delivery(subject: string): Promise<Delivery> {
      const deadline = AbortSignal.timeout(DELIVERY_MAX_MS);
      const over = once(deadline, "abort");
      for (;;) {
        const found = deliveries.find(({ rawBody }) => rawBody.includes(JSON.stringify(subject)));
        if (found) return found;
        if (deadline.aborted) {
          const came = deliveries.map(({ rawBody }) => rawBody.toString()).join("\n") || "nothing";
          throw new Error(`No delivery about "${subject}" in ${DELIVERY_MAX_MS} ms. Received: ${came}`);
        }
        await Promise.race([arrived.promise, over]);
      }
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
