// A webhook receiver with Express. What it does and how to run it: README.md.
import express from "express";
// In a project of your own: import { verifyWebhook, WebhookVerificationError } from "@mailberth/client";
import { verifyWebhook, WebhookVerificationError } from "#client/index.ts";

const { WEBHOOK_SECRET = "", PORT = "4000" } = process.env;
/** Processed deliveries. In production: a unique column, written in the transaction of your work. */
const done = new Set<unknown>();
const app = express();

// The raw body of any type: no express.json() may run before it.
app.post("/hooks/mail", express.raw({ type: () => true, limit: "1mb" }), (request, response) => {
  try {
    const event = verifyWebhook(request.body ?? "", request.headers, WEBHOOK_SECRET);
    const delivery = request.headers["x-service-delivery"] ?? event.message.id;
    if (!done.has(delivery)) {
      done.add(delivery);
      console.log(`received ${event.message.id} for ${event.inbox}`); // put it on your queue and do long work later
    }
    response.sendStatus(204);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(400).send(error.reason);
  }
});

app.listen(Number(PORT), "127.0.0.1", () => console.log("listening"));
