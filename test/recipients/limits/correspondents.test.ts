// Who counts as having written to a mailbox: mail with proof earns replies, a From header alone earns nothing.
import { setTimeout as delay } from "node:timers/promises";
import { dkimSign } from "mailauth/lib/dkim/sign.js";
import { afterAll, describe, expect, test } from "vitest";
import { KEY, PRIVATE_KEY } from "#test/receiving/authentication/signing.ts";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { judged } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const LOOK_AGAIN_MS = 20;
const LOOKS = 750;

type Judged = { authentication: object | null };
const RAMP = "1000";

const zone = {
  "signed.example": { TXT: [["v=spf1 -all"]] },
  "s._domainkey.signed.example": KEY,
  "_dmarc.signed.example": { TXT: [["v=DMARC1; p=reject"]] },
};
const service = await startTestService({ ROLES: "web,smtp,worker", SEND_CAP_RAMP: RAMP }, { zone });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Row = { id: string; direction: string; subject: string; from: string };
type Limit = { used: number; replies_used: number };

async function newMailbox() {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  const list = async () => (await client.get<Page<Row>>(inboxPath(address, "/messages?limit=100"), { key })).body.data;
  return {
    address,
    /** Sends to an address, and waits until it has left unless it is scheduled. @returns the Message-ID, without angle brackets */
    async send(to: string | string[], subject = "x", send_at?: string): Promise<string> {
      const json = { to, subject, text: "x", send_at };
      const { body, status } = await client.post<Sent>(inboxPath(address, "/send"), json, { key });
      expect(status).toBe(202);
      if (!send_at) {
        const read = async () =>
          (await client.get<{ sent_at: string | null }>(`/v1/messages/${body.id}`, { key })).body.sent_at;
        await expect.poll(read).not.toBeNull();
      }
      const rows = await service.system.sql<{ rfc_message_id: string }[]>`
        select rfc_message_id from messages where inbox_id = (select id from inboxes where address = ${address})
          and direction = 'outbound' order by id desc limit 1`;
      expect(rows[0]?.rfc_message_id).toMatch(new RegExp(`^${body.id}\\.[0-9a-z]{16}@mail\\.example$`));
      return rows[0]?.rfc_message_id ?? "";
    },
    /** Hands a mail over by SMTP, and waits until it is parsed and its sender judged. */
    async receive(from: string, headers: Record<string, string> = {}): Promise<void> {
      const lines = { From: from, To: address, Subject: `in ${Math.random()}`, ...headers };
      const text = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
      await this.receiveRaw(from, `${text.join("")}\r\nHello\r\n`);
    },
    async receiveRaw(from: string, raw: string): Promise<void> {
      await service.mail({ from, to: address, raw });
      const inbound = (await list()).find(({ direction }) => direction === "inbound");
      await judged(() => client.get<Judged>(`/v1/messages/${inbound?.id}`, { key }));
    },
    /** Waits until so many mails were received, parsed and judged. */
    async parsed(count: number): Promise<void> {
      for (let look = 0; look < LOOKS; look += 1) {
        const inbound = (await list()).filter(({ direction }) => direction === "inbound");
        await Promise.all(inbound.map(({ id }) => judged(() => client.get<Judged>(`/v1/messages/${id}`, { key }))));
        if (inbound.length >= count) return;
        await delay(LOOK_AGAIN_MS);
      }
      throw new Error(`${address} did not get ${count} mails`);
    },
    /** Sends to the address, and says what that counted as. */
    async countsAs(to: string): Promise<"reply" | "new"> {
      const read = async () => (await client.get<Limit>(inboxPath(address, "/send-limit"), { key })).body;
      const before = await read();
      await this.send(to, "counted");
      const after = await read();
      expect(after.used + after.replies_used).toBe(before.used + before.replies_used + 1);
      return after.replies_used > before.replies_used ? "reply" : "new";
    },
  };
}

const mutated = (id: string, at: number) => {
  const other = id.charAt(at) === "0" ? "1" : "0";
  return id.slice(0, at) + other + id.slice(at + 1);
};

describe("earns nothing", () => {
  test("a From header that nothing vouches for", async () => {
    const box = await newMailbox();
    await box.receive("writer@else.example");
    await box.receive("writer@signed.example");
    expect(await box.countsAs("writer@else.example")).toBe("new");
    expect(await box.countsAs("writer@signed.example")).toBe("new");
  });

  test("a From header of a mailbox of this service, over SMTP", async () => {
    const [box, other] = [await newMailbox(), await newMailbox()];
    await box.receive(other.address);
    await box.receive(other.address, {
      "Message-ID": `<msg_01jd3m9v5sf0b8j3mgz7qk2x4c.0123456789abcdef@mail.example>`,
    });
    expect(await box.countsAs(other.address)).toBe("new");
  });

  test("an answer with a forged or changed Message-ID", async () => {
    const box = await newMailbox();
    const id = await box.send("writer@else.example");
    const [wireId = "", rest = ""] = id.split(".", 2);
    const code = rest.slice(0, 16);
    const forged = [
      mutated(id, wireId.length - 1),
      mutated(id, wireId.length + 1),
      mutated(id, wireId.length + 16),
      `${wireId}@mail.example`,
      `${wireId}.@mail.example`,
      `${wireId}.${"0".repeat(16)}@mail.example`,
      `${wireId}.${code}@other.example`,
      `${wireId}.${code.toUpperCase()}@mail.example`,
    ];
    for (const each of forged) await box.receive("writer@else.example", { "In-Reply-To": `<${each}>` });
    await box.receive("writer@else.example", { References: forged.map((each) => `<${each}>`).join(" ") });
    expect(await box.countsAs("writer@else.example")).toBe("new");
  });

  test("an answer from an address that the answered message did not go to, or to another mailbox's message", async () => {
    const [box, other] = [await newMailbox(), await newMailbox()];
    const own = await box.send("reader@else.example");
    const foreign = await other.send("writer@else.example");
    await box.receive("writer@else.example", { "In-Reply-To": `<${own}>`, References: `<${foreign}>` });
    expect(await box.countsAs("writer@else.example")).toBe("new");
  });

  test("an answer to a message that has not left", async () => {
    const box = await newMailbox();
    const id = await box.send("writer@else.example", "later", new Date(Date.now() + 3_600_000).toISOString());
    await box.receive("writer@else.example", { "In-Reply-To": `<${id}>` });
    expect(await box.countsAs("writer@else.example")).toBe("new");
  });

  test.each([
    ["fails the policy of the domain of From", {}],
    ["has several authors", { from: "writer@else.example, writer@signed.example" }],
  ])("an answer that %s", async (_, more) => {
    const box = await newMailbox();
    const id = await box.send("writer@signed.example");
    await box.receive("writer@signed.example", { "In-Reply-To": `<${id}>`, ...more });
    expect(await box.countsAs("writer@signed.example")).toBe("new");
  });

  test("one's own Message-ID in a mail from an address that did not write", async () => {
    const [box, other] = [await newMailbox(), await newMailbox()];
    const id = await other.send("reader@else.example");
    await box.receive(other.address, { "Message-ID": `<${id}>` });
    expect(await box.countsAs(other.address)).toBe("new");
  });
});

describe("earns a reply", () => {
  test("mail with an aligned DKIM signature", async () => {
    const box = await newMailbox();
    const text = `From: Writer <Writer@signed.example>\r\nTo: ${box.address}\r\nSubject: s\r\nDate: Fri, 20 Nov 2026 09:30:00 +0000\r\nMessage-ID: <a@signed.example>\r\n\r\nHello\r\n`;
    const { signatures } = await dkimSign(text, {
      signatureData: [{ signingDomain: "signed.example", selector: "s", privateKey: PRIVATE_KEY }],
    } as unknown as Parameters<typeof dkimSign>[1]);
    await box.receiveRaw("bounce@signed.example", signatures + text);
    expect(await box.countsAs("writer@SIGNED.example")).toBe("reply");
    expect(await box.countsAs("other@signed.example")).toBe("new");
    expect(await (await newMailbox()).countsAs("writer@signed.example")).toBe("new");
  });

  test("mail from a mailbox of this service", async () => {
    const [box, other] = [await newMailbox(), await newMailbox()];
    await other.send(box.address.replace("@", "+tag@"));
    await box.parsed(1);
    expect(await other.countsAs(box.address)).toBe("new");
    expect(await box.countsAs(other.address)).toBe("reply");
  });

  test.each([
    ["In-Reply-To", (id: string) => ({ "In-Reply-To": `<${id}>` })],
    ["References", (id: string) => ({ References: `<first@else.example> <${id}> <later@else.example>` })],
  ])("an answer to a message by %s", async (_name, headers) => {
    const box = await newMailbox();
    const id = await box.send(["someone@else.example", "Writer@else.example"]);
    await box.receive("WRITER@else.example", headers(id));
    expect(await box.countsAs("writer@else.example")).toBe("reply");
    expect(await box.countsAs("someone@else.example")).toBe("new");
  });
});

test("a Message-ID beyond the limit of references is not read", async () => {
  const box = await newMailbox();
  const id = await box.send("writer@else.example");
  const later = Array.from({ length: 30 }, (_, i) => `<${i}@else.example>`);
  await box.receive("writer@else.example", { References: [`<${id}>`, ...later].join("\r\n ") });
  expect(await box.countsAs("writer@else.example")).toBe("new");
});

test("the proof is erased with the mailbox, and what restrains its address stays", async () => {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  await client.post(inboxPath(address, "/send"), { to: address, text: "x" }, { key });
  const { sql } = service.system;
  const rows = async () => {
    const [row] = await sql<[{ states: number; proofs: number }]>`
      select (select count(*)::int from sending_states s where s.inbox_id = i.id) as states,
        (select count(*)::int from correspondents c where c.inbox_id = i.id) as proofs
      from inboxes i where address = ${address}`;
    return row;
  };
  await expect.poll(rows).toEqual({ states: 1, proofs: 1 });
  await client.delete(inboxPath(address), { key });
  await expect.poll(rows).toEqual({ states: 1, proofs: 0 });
});
