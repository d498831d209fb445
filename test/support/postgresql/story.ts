// The story of the README on one database: a real process, an agent, mail in and out, a wait, a webhook, a sign-in.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { verifyWebhook } from "#client/verify-webhook.ts";
import { eventually } from "#test/support/events.ts";
import { type ServiceProcess, startProcess } from "#test/support/process.ts";
import { startReceiver } from "#test/webhooks/delivery/receiver.ts";

const DOMAIN = "mail.localhost";
const PERSON = { email: "olive@people.example", password: "correct horse battery", name: "Olive" };

type Service = Pick<ServiceProcess, "url" | "smtpPort" | "output">;

/** What each step of the story answered, as the tests compare it. */
export const TOLD = {
  enrolled: 201,
  created: 201,
  waited: "482913",
  delivered: "message.received",
  replied: "captured",
  joined: 200,
  signedIn: 200,
};

/** Starts the service on an empty database, tells the story, and stops the service. */
export async function tellStory(environment: Record<string, string>) {
  const dataDir = await mkdtemp(join(tmpdir(), "mailberth-story-"));
  const service = await startProcess({ DATA_DIR: dataDir, LOG_LEVEL: "warn", ...environment });
  try {
    return await tell(service);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${service.output()}`, { cause: error });
  } finally {
    await service.end("SIGTERM");
    await rm(dataDir, { recursive: true, force: true });
  }
}

function post(service: Service, path: string, body: object, headers: Record<string, string> = {}) {
  return fetch(service.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: service.url, ...headers },
    body: JSON.stringify(body),
  });
}

/** Enrolls with the key that the first start printed. */
async function enroll(service: Service) {
  const token = /"token":"([^"]+)"/.exec(service.output())?.[1];
  const answer = await post(service, "/v1/enroll", { token, agent_handle: "bot" });
  const { agent_key } = (await answer.json()) as { agent_key: string };
  return { status: answer.status, authorized: { Authorization: `Bearer ${agent_key}` } };
}

async function sendMail(service: Service, to: string, subject: string): Promise<void> {
  const tls = { rejectUnauthorized: false };
  const transport = createTransport({ host: "127.0.0.1", port: service.smtpPort, tls });
  await transport.sendMail({ from: "joe@example.org", to, subject, text: "Hello agent." });
  transport.close();
}

/** Tells the story to a service that has just started for the first time. */
export async function tell(service: Service): Promise<typeof TOLD> {
  const { status: enrolled, authorized } = await enroll(service);
  const { status: created } = await post(service, "/v1/inboxes", { username: "my-agent" }, authorized);
  const hook = await startReceiver();
  const registered = await post(service, "/v1/webhooks", { url: hook.url, events: ["message.received"] }, authorized);
  const { secret } = (await registered.json()) as { secret: string };
  // The mail may arrive before the wait has begun.
  const since = { after: "2026-01-01T00:00:00Z", timeout_seconds: 60 };
  const waiting = post(service, `/v1/inboxes/my-agent@${DOMAIN}/wait`, since, authorized);
  await sendMail(service, `my-agent@${DOMAIN}`, "Your code is 482913");
  const waited = (await (await waiting).json()) as { message: { id: string }; extracted: { otp: string } };
  const { body, headers } = await eventually(() => hook.received[0] ?? Promise.reject(new Error("no delivery")));
  const event = verifyWebhook(body, String(headers["x-service-signature"]), secret);
  await hook.close();
  const reply = await post(service, `/v1/messages/${waited.message.id}/reply`, { text: "Thank you." }, authorized);
  const { id } = (await reply.json()) as { id: string };
  const replied = await eventually(async () => {
    const answer = await fetch(`${service.url}/v1/messages/${id}`, { headers: authorized });
    const { status } = (await answer.json()) as { status: string };
    return status === "captured" ? status : Promise.reject(new Error(`the reply is ${status}`));
  });
  const people = await meetPeople(service);
  return { enrolled, created, waited: waited.extracted.otp, delivered: event.event, replied, ...people };
}

/** Makes the owner by the link that the first start printed, and signs in. */
async function meetPeople(service: Service): Promise<{ joined: number; signedIn: number }> {
  const token = /\/join#([\w-]+)/.exec(service.output())?.[1];
  const { status: joined } = await post(service, "/trpc/team.join", { token, ...PERSON });
  const { email, password } = PERSON;
  const { status: signedIn } = await post(service, "/auth/sign-in/email", { email, password });
  return { joined, signedIn };
}
