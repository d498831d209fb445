// Lists of senders: what a sender gets at DATA, with mail over SMTP and the test's DNS.
import { dkimSign } from "mailauth/lib/dkim/sign.js";
import { createTransport } from "nodemailer";
import { afterAll, describe, expect, test } from "vitest";
import { KEY, PRIVATE_KEY } from "#test/receiving/authentication/signing.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";
import type { ZoneDns } from "#test/support/zone.ts";

const reject = { TXT: [["v=DMARC1; p=reject"]] };
const zone = {
  "signed.example": { TXT: [["v=spf1 -all"]] },
  "s._domainkey.signed.example": KEY,
  "_dmarc.signed.example": reject,
  "away.example": { TXT: [["v=spf1 -all"]] },
  "s._domainkey.away.example": { fails: "ESERVFAIL" as const },
  "_dmarc.away.example": reject,
};
const service = await startTestService({ ROLES: "web,smtp,worker", SEND_CAP_RAMP: "1000" }, { zone });
const { asked } = service.system.dns as ZoneDns;
const client = api(service);
afterAll(() => client.close().then(service.stop));

async function receiver() {
  const { agentKey: key, organizationId } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  return {
    key,
    organizationId,
    address,
    list: (list: string, entry: string, inbox?: string) =>
      client.post(`/v1/lists/receive/${list}`, { entry, inbox }, { key }),
    subjects: async () => {
      const { data } = (await client.get<Page<{ subject: string }>>(inboxPath(address, "/messages"), { key })).body;
      return data.map(({ subject }) => subject);
    },
  };
}

type Mail = { from: string; envelope?: string; subject?: string; headers?: string; sign?: string };

async function rawOf(mail: Mail, to: string): Promise<string> {
  const { from, subject = "s", headers = "", sign } = mail;
  const text = `From: Writer <${from}>\r\n${headers}To: ${to}\r\nSubject: ${subject}\r\nDate: Fri, 20 Nov 2026 09:30:00 +0000\r\nMessage-ID: <${crypto.randomUUID()}@x.example>\r\n\r\nHello\r\n`;
  if (!sign) return text;
  const { signatures } = await dkimSign(text, {
    signatureData: [{ signingDomain: sign, selector: "s", privateKey: PRIVATE_KEY }],
  } as unknown as Parameters<typeof dkimSign>[1]);
  return signatures + text;
}

/** Sends over SMTP. @returns the code of the reply to DATA */
async function deliver(mail: Mail, to: string | string[]): Promise<number> {
  const recipients = [to].flat();
  const raw = await rawOf(mail, recipients.join(", "));
  const transport = createTransport({ host: "127.0.0.1", port: service.smtpPort, tls: { rejectUnauthorized: false } });
  try {
    const { response } = await transport.sendMail({
      envelope: { from: mail.envelope ?? mail.from, to: recipients },
      raw,
    });
    return Number(response.slice(0, 3));
  } catch (error) {
    const { responseCode, command } = error as { responseCode: number; command: string };
    expect(command).toBe("DATA");
    return responseCode;
  } finally {
    transport.close();
  }
}

const SIGNED = { from: "writer@signed.example", sign: "signed.example" };

describe("a block list", () => {
  test("550 for From and for the envelope sender, by address or domain; others are stored", async () => {
    const { address, list, subjects } = await receiver();
    await list("block", "spam.example");
    await list("block", "ann@shop.example", address);
    const refused: Mail[] = [
      { from: "x@spam.example" },
      { from: "X@Sub.SPAM.example" },
      { from: "x@spam.example." },
      { from: "x@else.example", envelope: "bounce@spam.example" },
      { from: "Ann@shop.example" },
      { from: "ann+news@shop.example" },
      { ...SIGNED, from: "x@spam.example" },
    ];
    for (const mail of refused) expect([mail, await deliver(mail, address)]).toEqual([mail, 550]);
    expect(await deliver({ from: "bob@shop.example", subject: "kept" }, address)).toBe(250);
    expect(await subjects()).toEqual(["kept"]);
  });

  test("is the organization's own, and keeps a mail from no other mailbox", async () => {
    const [one, other] = [await receiver(), await receiver()];
    await one.list("block", "spam.example");
    expect(await deliver({ from: "x@spam.example", subject: "both" }, [one.address, other.address])).toBe(250);
    expect([await one.subjects(), await other.subjects()]).toEqual([[], ["both"]]);
  });

  test("a mailbox that allows a sender gets what its organization blocks", async () => {
    const { address, list, key } = await receiver();
    const other = await client.createInbox(key);
    await list("block", "signed.example");
    await list("allow", "writer@signed.example", address);
    expect([await deliver(SIGNED, address), await deliver(SIGNED, other.address)]).toEqual([250, 550]);
    expect(await deliver({ from: SIGNED.from }, address)).toBe(550);
  });
});

test("a sender whom a member blocks is refused, also where an agent allows the sender", async () => {
  const { address, list, organizationId } = await receiver();
  const { trpc } = await newOwner(service, organizationId);
  await list("allow", "writer@signed.example", address);
  expect(await deliver(SIGNED, address)).toBe(250);
  const blocked = { direction: "receive", list: "block", entry: "signed.example" } as const;
  await trpc.lists.add.mutate(blocked);
  expect(await deliver(SIGNED, address)).toBe(550);
  await trpc.lists.remove.mutate(blocked);
  expect(await deliver(SIGNED, address)).toBe(250);
});

describe("an allow list", () => {
  test("passes an aligned sender, and no other", async () => {
    const { address, list, subjects } = await receiver();
    await list("allow", "signed.example");
    expect(await deliver({ ...SIGNED, subject: "signed" }, address)).toBe(250);
    for (const mail of [
      { from: SIGNED.from },
      { ...SIGNED, from: "x@else.example" },
      { from: "x@else.example", envelope: SIGNED.from },
      { ...SIGNED, sign: "else.example" },
      { ...SIGNED, headers: "From: Other <x@else.example>\r\n" },
      { from: "x@else.example", headers: `Reply-To: ${SIGNED.from}\r\nSender: ${SIGNED.from}\r\n` },
    ]) {
      expect([mail, await deliver(mail, address)]).toEqual([mail, 550]);
    }
    expect(await subjects()).toEqual(["signed"]);
  });

  test("asks no DNS for a sender that it does not name, or where there is no list", async () => {
    const { address, list } = await receiver();
    await list("allow", "signed.example");
    const before = asked.length;
    expect(await deliver({ from: "x@unlisted.example" }, address)).toBe(550);
    expect(asked.slice(before).filter((each) => each.includes("unlisted.example"))).toEqual([]);
  });

  test("451 while the sender's DNS does not answer, so that the mail comes again", async () => {
    const { address, list } = await receiver();
    await list("allow", "away.example");
    expect(await deliver({ from: "x@away.example", sign: "away.example" }, address)).toBe(451);
  });

  test("passes a mailbox of this service, but not over SMTP in its name", async () => {
    const [one, other] = [await receiver(), await receiver()];
    await one.list("allow", other.address);
    const send = { to: one.address, subject: "within", text: "x" };
    await client.post(inboxPath(other.address, "/send"), send, { key: other.key });
    await expect.poll(one.subjects).toEqual(["within"]);
    expect(await deliver({ from: other.address }, one.address)).toBe(550);
  });

  test("a refused mailbox of this service gets a bounce in its message", async () => {
    const [one, other] = [await receiver(), await receiver()];
    await one.list("block", other.address);
    const send = { to: one.address, text: "x" };
    const { id } = (await client.post<{ id: string }>(inboxPath(other.address, "/send"), send, { key: other.key }))
      .body;
    const read = async () => {
      const { body } = await client.get<{ status: string; error: string }>(`/v1/messages/${id}`, { key: other.key });
      return [body.status, body.error];
    };
    await expect.poll(read).toEqual(["bounced", expect.stringContaining("550 5.7.1")]);
  });
});
