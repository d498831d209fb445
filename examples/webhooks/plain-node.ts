// A webhook receiver with Node alone; `isGenuine` may be pasted anywhere. What it does and how to run it: README.md.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { WEBHOOK_SECRET = "", PORT = "4000" } = process.env;
const BODY_MAX_BYTES = 1_048_576;
/** Processed deliveries. In production: a unique column, written in the transaction of your work. */
const done = new Set<unknown>();
if (WEBHOOK_SECRET === "") throw new Error("WEBHOOK_SECRET is not set"); // with an empty secret, anyone could create valid signatures

/** @param header `t=<seconds>,v1=<hex>`, with two `v1` while the secret is rotated */
function isGenuine(rawBody: Buffer, header: string, secret: string): boolean {
  const parts = header.split(",").map((part) => part.trim().split("="));
  const values = (name: string) => parts.filter((part) => part[0] === name).map((part) => part[1] ?? "");
  const [t = "", ...more] = values("t");
  const isFresh = /^\d{1,15}$/.test(t) && Math.abs(Math.floor(Date.now() / 1000) - Number(t)) <= 300;
  if (more.length > 0 || !isFresh) return false;
  const expected = createHmac("sha256", secret).update(`${t}.`).update(rawBody).digest();
  return values("v1").some((v1) => /^[0-9a-f]{64}$/i.test(v1) && timingSafeEqual(Buffer.from(v1, "hex"), expected));
}

const server = createServer(async (request, response) => {
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes > BODY_MAX_BYTES) return response.writeHead(413, { connection: "close" }).end();
      chunks.push(chunk);
    }
    const rawBody = Buffer.concat(chunks); // not parsed yet: the signature is over the bytes
    const header = String(request.headers["x-service-signature"] ?? "");
    if (!isGenuine(rawBody, header, WEBHOOK_SECRET)) return response.writeHead(400).end();
    const event = JSON.parse(rawBody.toString());
    const delivery = request.headers["x-service-delivery"] ?? event.message.id;
    if (!done.has(delivery)) {
      done.add(delivery);
      console.log(`received ${event.message.id} for ${event.inbox}`); // put it on your queue and do long work later
    }
    response.writeHead(204).end();
  } catch {
    response.destroy(); // the connection broke
  }
});

server.listen(Number(PORT), "127.0.0.1", () => console.log("listening"));
