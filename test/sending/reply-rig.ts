// A service whose mail goes to a sink, with readers who get mail and answer it: what tests of reply and forward need.
import { setTimeout as delay } from "node:timers/promises";
import type Mail from "nodemailer/lib/mailer";
import { expect } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { messageIdIn, readTaken } from "#test/contracts/outbound/contract.ts";
import { api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { mailer } from "#test/support/inbound.ts";
import { startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";

const LOOK_AGAIN_MS = 20;
const LOOKS = 500;

export type Message = {
  id: string;
  thread_id: string;
  direction: string;
  status: string;
  from: string;
  to: string[];
  cc: string[];
  bcc?: string[];
  subject: string;
  text: string | null;
  html: string | null;
  attachments: { id: string; filename: string | null; content_type: string; size: number }[];
};

type Options = Parameters<typeof startTestService>[1];

/** @param environment settings beside those of a test */
export async function startReplyRig(environment: Record<string, string> = {}, options: Options = {}) {
  const sink = await startSmtpSink();
  const settings = { OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url, SEND_CAP_RAMP: "1000", ...environment };
  const service = await startTestService(settings, options);
  const client = api(service);
  const transport = mailer(service.smtpPort);

  async function inboxFor(key: string) {
    const inbox = await client.createInbox(key);
    const list = async () =>
      (await client.get<Page<Message>>(inboxPath(inbox.address, "/messages?limit=100"), { key })).body.data;
    return {
      ...inbox,
      key,
      list,
      /** Hands a mail over by SMTP; the id it has in this mailbox, once it is read. */
      async receive(mail: Mail.Options = {}): Promise<string> {
        await transport.sendMail({ from: "Writer <writer@else.example>", to: inbox.address, text: "Hello", ...mail });
        const id = (await list()).find((message) => message.direction === "inbound")?.id ?? "";
        // A busy machine reads a mail later than a reply to it waits.
        await eventually(async () => expect((await client.get(`/v1/messages/${id}`, { key })).status).toBe(200));
        return id;
      },
      send: (json: object) => client.post<Sent>(inboxPath(inbox.address, "/send"), { text: "x", ...json }, { key }),
      reply: (id: string, json: object = { text: "An answer" }, headers: Record<string, string> = {}) =>
        client.post<Sent & Failure>(`/v1/messages/${id}/reply`, json, { key, headers }),
      forward: (id: string, json: object, headers: Record<string, string> = {}) =>
        client.post<Sent & Failure>(`/v1/messages/${id}/forward`, json, { key, headers }),
      read: async (id: string) => (await client.get<Message>(`/v1/messages/${id}`, { key })).body,
      used: async () =>
        (await client.get<{ used: number }>(inboxPath(inbox.address, "/send-limit"), { key })).body.used,
    };
  }

  /** Whether every copy of a message has left: each recipient has an envelope of its own. */
  async function hasLeft(id: string): Promise<boolean> {
    const [row] = await service.system.sql<{ left: boolean }[]>`
      select status not in ('scheduled', 'queued', 'sending') as left from messages where id = ${decodeId("msg", id) ?? null}`;
    return row?.left === true;
  }

  /** The message as the sink got it, with the recipients of all copies in the order To, Cc, Bcc. */
  async function departed(id: string) {
    for (let look = 0; look < LOOKS; look += 1) {
      if (await hasLeft(id)) {
        const copies = sink.received.filter(({ raw }) => messageIdIn(raw)?.startsWith(`<${id}.`));
        const [first] = copies;
        if (!first) break;
        const mail = await readTaken(
          copies.flatMap(({ to }) => to),
          first.raw,
        );
        const shown = [...mail.to, ...mail.cc];
        const place = (address: string) => (shown.includes(address) ? shown.indexOf(address) : shown.length);
        return { ...mail, envelopeTo: mail.envelopeTo.toSorted((a, b) => place(a) - place(b)) };
      }
      await delay(LOOK_AGAIN_MS);
    }
    throw new Error(`${id} did not depart`);
  }

  return {
    service,
    client,
    sink,
    inboxFor,
    /** A mailbox in a separate organization. */
    newReader: async () => inboxFor((await service.newOrganization()).agentKey),
    departed,
    /** The Message-ID of a message, in angle brackets. */
    messageIdOf: async (id: string) => (await departed(id)).headers["message-id"]?.[0] ?? "",
    async stop() {
      transport.close();
      await client.close();
      await service.stop();
      await sink.close();
    },
  };
}
