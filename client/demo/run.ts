// `npm run demo`: from an enrollment key to a verified webhook, against a service that it starts and stops. With `--
// --paid`: from a 402 to a paid mailbox, on a local test chain.
import { createTransport } from "nodemailer";
import Stripe from "stripe";
import { createClient, type RouterOutputs, verifyWebhook } from "../index.ts";
import { type Delivery, startReceiver } from "./receiver.ts";
import { type Call, enrol, expectEqual, restOf } from "./rest.ts";
import { type DemoService, startOwnService } from "./service.ts";
import { failed, passed, step, title, wholeStep } from "./steps.ts";

const CALL_MAX_MS = 10_000;

/** Verified twice, by our code and by Stripe's; both must reject a copy with one more byte. */
function verifyTwice({ rawBody, signature }: Delivery, secret: string) {
  const event = verifyWebhook(rawBody, signature, secret);
  const asStripe = Stripe.webhooks.constructEvent(rawBody, signature, secret);
  expectEqual("The result of Stripe's verifier", JSON.stringify(asStripe), JSON.stringify(event));
  const forged = `${rawBody} `;
  for (const verify of [verifyWebhook, Stripe.webhooks.constructEvent.bind(Stripe.webhooks)]) {
    let refused = false;
    try {
      verify(forged, signature, secret);
    } catch {
      refused = true; // as it must be
    }
    expectEqual("A forged body is refused", refused, true);
  }
  return event;
}

async function mailFromOutside(
  { smtp }: DemoService,
  mail: { from: string; to: string; subject: string; text: string },
) {
  const transport = createTransport({
    ...smtp,
    tls: { rejectUnauthorized: false }, // the certificate is self-signed unless the operator provides one
    connectionTimeout: CALL_MAX_MS,
    greetingTimeout: CALL_MAX_MS,
    socketTimeout: CALL_MAX_MS,
  });
  const { response } = await transport.sendMail(mail);
  return response;
}

type Inbox = RouterOutputs["inboxes"]["create"];
type Scene = { service: DemoService; receiver: Awaited<ReturnType<typeof startReceiver>> };

async function createInbox(rest: Call, display_name: string) {
  return step(`Create a mailbox for ${display_name}`, async () => {
    const inbox = await rest<Inbox>(201, "POST", "/v1/inboxes", { display_name });
    expectEqual("Its status", inbox.status, "live");
    return [inbox, `POST /v1/inboxes → ${inbox.address}`];
  });
}

async function registerWebhook(rest: Call, url: string, { address }: Inbox) {
  return step("Register a webhook for Ben's mail", async () => {
    const body = { url, events: ["message.received"], address };
    const webhook = await rest<RouterOutputs["webhooks"]["register"]>(201, "POST", "/v1/webhooks", body);
    return [webhook.secret, `POST /v1/webhooks → ${webhook.id}, and a secret shown this once`];
  });
}

async function expectWebhook({ receiver }: Scene, secret: string, subject: string, from: string, to: Inbox) {
  return step("  … which arrives as a signed webhook", async () => {
    const { message, inbox } = verifyTwice(await receiver.delivery(subject), secret);
    expectEqual("inbox", inbox, to.address);
    expectEqual("message.from", message.from, from);
    return [message, `"${message.subject}" from ${message.from}; verified by verifyWebhook and by Stripe's SDK`];
  });
}

async function readBack(rest: Call, id: string, text: string) {
  await step("  … and is read back", async () => {
    const message = await rest<RouterOutputs["messages"]["get"]>(200, "GET", `/v1/messages/${id}`);
    expectEqual("Its text", message.text?.trimEnd(), text);
    return [undefined, `GET /v1/messages/{id} → "${text}"`];
  });
}

async function play(scene: Scene): Promise<void> {
  const { service, receiver } = scene;
  const key = await enrol(service);
  const rest = restOf(service.url, key);
  const ada = await createInbox(rest, "Ada");
  const ben = await createInbox(rest, "Ben");
  const secret = await registerWebhook(rest, receiver.url, ben);

  const hello = { subject: "Lunch?", text: "One o'clock, at the harbour." };
  await step("Ada writes to Ben", async () => {
    const path = `/v1/inboxes/${encodeURIComponent(ada.address)}/send`;
    const sent = await rest<RouterOutputs["messages"]["send"]>(202, "POST", path, { to: ben.address, ...hello });
    return [undefined, `POST /v1/inboxes/{addr}/send → ${sent.id}, ${sent.status}`];
  });
  const fromAda = await expectWebhook(scene, secret, hello.subject, ada.address, ben);
  await readBack(rest, fromAda.id, hello.text);

  const outside = { from: "carol@elsewhere.example", subject: "Hello from outside", text: "Sent by plain SMTP." };
  await step("Carol, elsewhere, writes to Ben", async () => {
    const response = await mailFromOutside(service, { ...outside, to: ben.address });
    return [undefined, `SMTP ${service.smtp.host}:${service.smtp.port} → ${response}`];
  });
  const fromCarol = await expectWebhook(scene, secret, outside.subject, outside.from, ben);
  await readBack(rest, fromCarol.id, outside.text);

  await step("The typed client sees the same", async () => {
    const { data } = await createClient({ url: service.url, key }).messages.list.query({ addr: ben.address });
    const ids = data.map(({ id }) => id).join();
    expectEqual("The messages of Ben", ids, [fromCarol.id, fromAda.id].join());
    return [undefined, `client.messages.list.query({ addr }) → ${data.length} messages, newest first`];
  });
}

async function playMail(): Promise<void> {
  title("Mailberth: from an enrollment key to a verified webhook");
  const service = await wholeStep("Start a service with default settings", async () => {
    const started = await startOwnService();
    const { host, port } = started.smtp;
    return [started, `${started.url}, mail comes in at ${host}:${port}`];
  });
  const receiver = await startReceiver();
  try {
    await play({ service, receiver });
  } finally {
    receiver.close();
    await wholeStep("Stop it and remove its data", async () => [await service.stop(), "SIGTERM → exit 0"]);
  }
}

/** Imported only for the paid story. */
async function main([story, ...more]: string[]): Promise<void> {
  if (more.length > 0 || (story !== undefined && story !== "--paid"))
    throw new Error("Usage: npm run demo [-- --paid]");
  return story ? (await import("./paid.ts")).playPaid() : playMail();
}

try {
  await main(process.argv.slice(2));
  passed();
  process.exit(0);
} catch (error) {
  failed(error);
  process.exit(1);
}
