// A webhook receiver with Hono. What it does and how to run it: README.md.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
// In a project of your own: import { verifyWebhook, WebhookVerificationError } from "@mailberth/client";
import { verifyWebhook, WebhookVerificationError } from "#client/index.ts";

const { WEBHOOK_SECRET = "", PORT = "4000" } = process.env;
/** Processed deliveries. In production: a unique column, written in the transaction of your work. */
const done = new Set<string>();
const app = new Hono();

app.post("/hooks/mail", bodyLimit({ maxSize: 1_048_576 }), async (context) => {
  const rawBody = await context.req.text(); // not context.req.json(): the signature is over the bytes
  try {
    const event = verifyWebhook(rawBody, context.req.raw.headers, WEBHOOK_SECRET);
    const delivery = context.req.header("X-Service-Delivery") ?? event.message.id;
    if (!done.has(delivery)) {
      done.add(delivery);
      console.log(`received ${event.message.id} for ${event.inbox}`); // put it on your queue and do long work later
    }
    return context.body(null, 204);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return context.text(error.reason, 400);
  }
});

serve({ fetch: app.fetch, port: Number(PORT), hostname: "127.0.0.1" }, () => console.log("listening"));
