// Sessions of several client addresses for tests of what one address may use over SMTP.
import { afterEach, expect } from "vitest";
import { type Inbound, openInbound, speak } from "./inbound.ts";

export const ATTACKER = "127.0.0.66";
export const NEIGHBOUR = "127.0.0.7";

export type Client = Awaited<ReturnType<typeof speak>>;

let inbound: Inbound | undefined;
const clients: Client[] = [];

/** Disconnects the clients of a test and closes its service after it. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const client of clients.splice(0)) client.socket.destroy();
    await inbound?.close();
    inbound = undefined;
  });
}

/** A service with the default number of connections per address. */
export async function open(settings: Record<string, string> = {}): Promise<Inbound> {
  inbound = await openInbound({ settings: { SMTP_CONNECTIONS_PER_ADDRESS: "20", ...settings } });
  return inbound;
}

/** Disconnects the client after the test. */
export function keep(client: Client): Client {
  clients.push(client);
  return client;
}

export async function connect(port: number, address: string): Promise<{ client: Client; greeting: string }> {
  const client = keep(await speak(port, address));
  return { client, greeting: await client.read() };
}

export async function greeted(port: number, address: string): Promise<Client> {
  const { client, greeting } = await connect(port, address);
  expect(greeting).toMatch(/^220 /);
  await client.ask("EHLO client.example.org");
  return client;
}

/** Hands over one mail from an address. @returns the reply to DATA, or the first reply that refuses */
export async function handOver(port: number, address: string, recipient: string, body = "Hello"): Promise<string> {
  const client = await greeted(port, address);
  for (const line of ["MAIL FROM:<a@example.org>", `RCPT TO:<${recipient}>`, "DATA"]) {
    const reply = await client.ask(line);
    if (!/^[23]/.test(reply)) return reply;
  }
  const reply = await client.ask(`Subject: x\r\n\r\n${body}\r\n.`);
  client.socket.destroy();
  return reply;
}
