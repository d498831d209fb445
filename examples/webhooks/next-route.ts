// A webhook receiver as a Next route handler: `app/hooks/mail/route.ts`. What it does and how to run it: README.md.
// In a project of your own: import { verifyWebhook, WebhookVerificationError } from "@mailberth/client";
import { verifyWebhook, WebhookVerificationError } from "#client/index.ts";

/** Processed deliveries. In production: a unique column, written in the transaction of your work. */
const done = new Set<string>();

export async function POST(request: Request): Promise<Response> {
  const rawBody = await request.text(); // not request.json(): the signature is over the bytes
  try {
    const event = verifyWebhook(rawBody, request.headers, process.env.WEBHOOK_SECRET ?? "");
    const delivery = request.headers.get("x-service-delivery") ?? event.message.id;
    if (!done.has(delivery)) {
      done.add(delivery);
      console.log(`received ${event.message.id} for ${event.inbox}`); // put on your queue; work that takes long comes later
    }
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return new Response(error.reason, { status: 400 });
  }
}
