// Lists of the drop-in APIs while mail is not read yet, with the packages as npm has them. The service has no worker: mail is read when a call
// waits for it.
import { AgentMailClient } from "agentmail";
import { Resend } from "resend";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ COMPAT_APIS: "agentmail,resend", ROLES: "web,smtp" });
const rest = api(service);
afterAll(async () => {
  await rest.close();
  await service.stop();
});

const { agentKey } = await service.newOrganization();
const mail = new AgentMailClient({ apiKey: agentKey, baseUrl: `${service.url}/compat/agentmail`, maxRetries: 0 });
const resend = new Resend(agentKey, { baseUrl: `${service.url}/compat/resend` });

type Row = { subject?: string | undefined; attachments?: { filename?: string | null }[] | undefined; preview?: string };

/** What each list says of the mail of a mailbox. */
const lists: [name: string, of: (inbox: string) => Promise<Row[]>][] = [
  ["messages", async (inbox) => (await mail.inboxes.messages.list(inbox)).messages],
  [
    "messages from the oldest on",
    async (inbox) => (await mail.inboxes.messages.list(inbox, { ascending: true })).messages,
  ],
  ["threads", async (inbox) => (await mail.inboxes.threads.list(inbox)).threads],
  [
    "received emails",
    async (inbox) => {
      const all = (await resend.emails.receiving.list()).data?.data ?? [];
      return all.filter(({ received_for }) => received_for.includes(inbox));
    },
  ],
];

test.each(lists)("Rows of %s have the files of mail that arrived a moment ago.", async (_, rowsOf) => {
  const { inboxId } = await mail.inboxes.create();
  const attachments = [{ filename: "lease.pdf", content: Buffer.from("%PDF-1.4"), contentType: "application/pdf" }];
  await service.mail({
    from: "ann@shop.example",
    to: inboxId,
    subject: "The lease",
    text: "Please sign.",
    attachments,
  });
  // The first threads of the service can take longer to start than a list waits.
  const [row, ...more] = await eventually(async () => {
    const rows = await rowsOf(inboxId);
    expect(rows[0]?.attachments).toHaveLength(1);
    return rows;
  });
  expect([row?.subject, row?.attachments?.map(({ filename }) => filename)]).toEqual(["The lease", ["lease.pdf"]]);
  expect(row?.preview ?? "Please sign.").toBe("Please sign.");
  expect(more).toEqual([]);
});

/** No mail with the subject "stuck" is read until the function that it returns is called. */
async function refuseReading() {
  const { sql } = service.system;
  await sql`create function refuse() returns trigger language plpgsql as $$
    begin if new.status = 'parsed' and new.subject = 'stuck' then raise data_exception; end if; return new; end $$`;
  await sql`create trigger refuse before update on messages for each row execute function refuse()`;
  return async () => {
    await sql`drop trigger refuse on messages`;
    await sql`drop function refuse`;
    await sql`update messages set next_attempt_at = now() where status = 'received'`;
  };
}

test("An event of mail that cannot be read says who sent it, and how large it is.", async () => {
  const { inboxId } = await mail.inboxes.create();
  const socket = await mail.websockets.connect({ reconnectAttempts: 0 });
  onTestFinished(() => socket.close());
  const events: unknown[] = [];
  socket.on("message", (event) => void events.push(event));
  socket.sendSubscribe({ type: "subscribe", inboxIds: [inboxId] });
  await eventually(() => expect(events).toMatchObject([{ type: "subscribed" }]));
  const allow = await refuseReading();
  await service.mail({ from: "Ann <ann@shop.example>", to: inboxId, subject: "stuck", text: "About it" });
  // The package gives what lacks a field that it always expects as it came, without `eventType`.
  await eventually(() =>
    expect(events[1]).toMatchObject({
      eventType: "message.received",
      message: { from: "Ann <ann@shop.example>", size: expect.any(Number) },
      thread: { messageCount: 1, size: expect.any(Number) },
    }),
  );
  await allow();
});

test.each(lists)("Mail that cannot be read is in %s, without files until it is read.", async (_, rowsOf) => {
  const allow = await refuseReading();
  const { inboxId } = await mail.inboxes.create();
  for (const subject of ["first", "stuck", "last"]) {
    const attachments = [
      { filename: `${subject}.pdf`, content: Buffer.from("%PDF-1.4"), contentType: "application/pdf" },
    ];
    await service.mail({ from: "ann@shop.example", to: inboxId, subject, text: `About ${subject}`, attachments });
  }
  const rows = async () => {
    const found = await rowsOf(inboxId);
    return found
      .map(({ subject, attachments = [] }) => [subject, ...attachments.map(({ filename }) => filename)])
      .sort();
  };
  const read = [
    ["first", "first.pdf"],
    ["last", "last.pdf"],
  ];
  // A client that continues after the newest row would never see mail that is left out.
  await eventually(async () => expect(await rows()).toEqual([...read, ["stuck"]]));
  await allow();
  await eventually(async () => expect(await rows()).toEqual([...read, ["stuck", "stuck.pdf"]]));
});
