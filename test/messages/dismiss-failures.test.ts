// Mail that did not reach everyone, of mailboxes of one organization: what a dismissal hides, and what fails after it.
import { createTransport } from "nodemailer";
import { afterAll, expect, test } from "vitest";
import { dsn } from "#test/receiving/returns/reports.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { newOwner } from "#test/support/team.ts";

const sink = await startSmtpSink();
const service = await startTestService({ ROLES: "web,smtp,worker", OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url });
const client = api(service);
const mailServer = createTransport({ host: "127.0.0.1", port: service.smtpPort, tls: { rejectUnauthorized: false } });
afterAll(async () => {
  mailServer.close();
  await client.close();
  await service.stop();
  await sink.close();
});

type Sent = { id: string; bounce: (recipient: string) => Promise<unknown> };

async function team() {
  const { agentKey: key, organizationId } = await service.newOrganization();
  const { trpc } = await newOwner(service, organizationId);
  const { address } = await client.createInbox(key);
  const send = async (...to: string[]): Promise<Sent> => {
    const { body } = await client.post<{ id: string }>(inboxPath(address, "/send"), { to, text: "Hi" }, { key });
    const pathOf = (recipient: string) => sink.received.find((mail) => mail.to.includes(recipient))?.from;
    await eventually(() => expect(to.map(pathOf)).not.toContain(undefined));
    const read = async () => (await client.get<{ status: string }>(`/v1/messages/${body.id}`, { key })).body.status;
    await eventually(async () => expect(await read()).toBe("sent"));
    const bounce = (recipient: string) =>
      mailServer.sendMail({
        envelope: { from: "", to: [pathOf(recipient) ?? ""] },
        raw: dsn([{ recipient, diagnostic: "550 5.1.1 User unknown" }]),
      });
    return { id: body.id, bounce };
  };
  const shown = async () =>
    (await trpc.overview.get.query()).problems.map(({ where, text }) => [where.id, /^\S+/.exec(text)?.[0]]);
  const dismiss = (id: string) => trpc.messages.dismissFailures.mutate({ id });
  return { key, send, shown, dismiss };
}

test("older mail that fails after a dismissal is shown, alone, until it is dismissed too", async () => {
  const { send, shown, dismiss } = await team();
  const [oldest, older] = [await send("late@old.example"), await send("gone@old.example")];
  const newest = await send("left@old.example");
  await older.bounce("gone@old.example");
  await newest.bounce("left@old.example");
  expect(await shown()).toEqual([[newest.id, "2"]]);
  // From a page that was read before the newest failed.
  await dismiss(older.id);
  expect(await shown()).toEqual([[newest.id, "A"]]);
  await dismiss(newest.id);
  expect(await shown()).toEqual([]);
  await oldest.bounce("late@old.example");
  expect(await shown()).toEqual([[oldest.id, "A"]]);
  await dismiss(oldest.id);
  expect(await shown()).toEqual([]);
});

test("dismissed mail that fails for another recipient is shown again", async () => {
  const { send, shown, dismiss } = await team();
  const { id, bounce } = await send("one@both.example", "two@both.example", "three@both.example");
  await bounce("two@both.example");
  await dismiss(id);
  expect(await shown()).toEqual([]);
  await bounce("one@both.example");
  expect(await shown()).toEqual([[id, "A"]]);
  await dismiss(id);
  expect(await shown()).toEqual([]);
});

test("dismissed mail stays dismissed when it returns from the trash, and its dismissal is erased with it", async () => {
  const { key, send, shown, dismiss } = await team();
  const { id, bounce } = await send("away@trash.example");
  await bounce("away@trash.example");
  await dismiss(id);
  await client.delete(`/v1/messages/${id}`, { key });
  await client.post(`/v1/messages/${id}/restore`, undefined, { key });
  expect(await shown()).toEqual([]);
  const { db } = service.system;
  const count = async () => (await db.execute("select from dismissed_failures")).length;
  const before = await count();
  await client.delete(`/v1/messages/${id}?permanent=true`, { key });
  expect(await count()).toBe(before - 1);
});
