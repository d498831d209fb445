// Mail that Resend received: the same as by SMTP, once, and nothing lost.
import { afterAll, describe, expect, test } from "vitest";
import { createDownloads } from "#server/adapters/resend-download.ts";
import { decodeId } from "#server/base/ids.ts";
import { returnPath } from "#server/receiving/returns/return-path.ts";
import { dialFor } from "#server/webhooks/targets/dial.ts";
import { dsn } from "#test/receiving/returns/reports.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually, judged, reportedOf } from "#test/support/events.ts";
import { type RawAnswer, startResendDouble } from "#test/support/resend-double.ts";
import { type Posted, postEvent, WEBHOOK_SECRET } from "#test/support/resend-events.ts";
import { startTestService } from "#test/support/service.ts";
import { startReceiver } from "#test/webhooks/delivery/receiver.ts";

const ADA = "ada@elsewhere.example";
const MAX_BYTES = 1_000_000;

const double = await startResendDouble(["mail.example"]);
const settings = {
  OUTBOUND: "resend",
  RESEND_API_KEY: double.apiKey,
  RESEND_BASE_URL: double.url,
  RESEND_WEBHOOK_SECRET: WEBHOOK_SECRET,
  SMTP_MAX_BYTES: String(MAX_BYTES),
  STORAGE_QUOTA_PER_INBOX: "2000000",
};
const service = await startTestService(settings);
const client = api(service);
afterAll(async () => {
  await client.close();
  await service.stop();
  await double.close();
});

type Listed = { id: string; subject: string; thread_id: string; from: string };
type Event = { event: string; message: { from: string; subject: string; thread_id: string } };

async function inbox() {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  const list = async () => (await client.get<Page<Listed>>(inboxPath(address, "/messages"), { key })).body.data;
  const raw = async (id: string) => {
    const answer = await fetch(`${service.url}/v1/messages/${id}/raw`, { headers: { Authorization: `Bearer ${key}` } });
    return Buffer.from(await answer.arrayBuffer()).toString("latin1");
  };
  return { key, address, list, raw };
}

let made = 0;

function mailTo(address: string, { messageId = true, body = "Your code is 123456" } = {}): string {
  made += 1;
  const id = messageId ? [`Message-ID: <m${made}@elsewhere.example>`] : [];
  const lines = [`From: Ada <${ADA}>`, `To: ${address}`, `Subject: number ${made}`, ...id, "Received-SPF: pass"];
  return `${lines.join("\r\n")}\r\n\r\n${body}\r\n`;
}

/** The event of a mail that the double has received. */
function arrival(raw: string | RawAnswer, recipients: string[]) {
  const email_id = double.receive(raw);
  return {
    type: "email.received",
    created_at: new Date(),
    data: { email_id, from: `Ada <${ADA}>`, to: [], received_for: recipients },
  };
}

const post = (event: object, how?: Posted) => postEvent(service.url, event, how);

describe("a mail that Resend received", () => {
  test("has the same bytes, thread, event and webhook as by SMTP", async () => {
    const { key, address, list, raw } = await inbox();
    const hook = await startReceiver();
    await client.post("/v1/webhooks", { url: hook.url, events: ["message.received"] }, { key });
    const first = mailTo(address);
    await service.mail({ from: ADA, to: address, raw: first });
    const reference = /Message-ID: (<.*>)/.exec(first)?.[1];
    const second = `In-Reply-To: ${reference}\r\n${mailTo(address)}`;
    expect(await post(arrival(second, [address]))).toMatchObject({ status: 200, result: "stored" });
    const mails = await list();
    expect(mails).toHaveLength(2);
    expect(new Set(mails.map(({ thread_id }) => thread_id)).size).toBe(1);
    expect(await raw(mails[0]?.id ?? "")).toBe(second);
    const logged = reportedOf((await client.get<Page<Event>>("/v1/events", { key })).body.data);
    expect(logged.map(({ event, message }) => [event, message.from])).toEqual([
      ["message.received", ADA],
      ["message.received", ADA],
    ]);
    await eventually(() => expect(hook.received).toHaveLength(2));
    const [bySmtp, byResend] = hook.received.map(({ body }) => JSON.parse(body) as Event);
    expect(Object.keys(byResend?.message ?? {})).toEqual(Object.keys(bySmtp?.message ?? {}));
    await hook.close();
  });

  test("has no SPF result, whatever its headers claim", async () => {
    const { key, address, list } = await inbox();
    await post(arrival(mailTo(address), [address]));
    const [mail] = await list();
    type Read = { authentication: { spf: string } };
    const read = await judged(() => client.get<Read>(`/v1/messages/${mail?.id}`, { key }));
    expect(read.authentication.spf).toBe("none");
  });

  test("is of no mailbox of this service, whoever its From names", async () => {
    const [own, { key, address, list }] = [await inbox(), await inbox()];
    await post(arrival(mailTo(address).replace(ADA, own.address), [address]));
    const [mail] = await list();
    type Read = { from: string; authentication: object };
    const read = await judged(() => client.get<Read>(`/v1/messages/${mail?.id}`, { key }));
    expect(read.from).toBe(own.address);
    expect(read.authentication).not.toHaveProperty("local_sender");
  });

  test.each([true, false])("is stored once for 100 copies of its event (Message-ID: %s)", async (messageId) => {
    const { address, list } = await inbox();
    const event = arrival(mailTo(address, { messageId }), [address]);
    const id = `msg_arrival_${event.data.email_id}`;
    const answers = await Promise.all(Array.from({ length: 100 }, () => post(event, { id })));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await list()).toHaveLength(1);
    expect((await post(event, { id })).result).toBe("repeated");
    // Without the memory of the event, as after a crash between the commit of the mail and its answer.
    await service.system.sql`delete from provider_events where id = ${id}`;
    expect((await post(event, { id })).result).toBe("stored");
    expect(await list()).toHaveLength(1);
  });

  test("for unknown recipients is not fetched", async () => {
    const before = double.account.requests.length;
    expect(await post(arrival("x", ["nobody@mail.example", "no address"]))).toMatchObject({
      status: 200,
      result: "no_mailbox",
    });
    expect(double.account.requests.length).toBe(before);
  });

  test("reaches those of its recipients who exist", async () => {
    const [one, two] = [await inbox(), await inbox()];
    const event = arrival(mailTo(one.address), [one.address, "nobody@mail.example", two.address]);
    expect((await post(event)).result).toBe("stored");
    expect([(await one.list()).length, (await two.list()).length]).toEqual([1, 1]);
  });

  test("over quota is answered with 503, and stored when there is room", async () => {
    const { key, address, list } = await inbox();
    const fill = () => mailTo(address, { body: "x".repeat(900_000) });
    for (const mail of [fill(), fill()]) await service.mail({ from: ADA, to: address, raw: mail });
    const event = arrival(fill(), [address]);
    expect((await post(event)).status).toBe(503);
    const [newest] = await list();
    await client.delete(`/v1/messages/${newest?.id}?permanent=true`, { key });
    await eventually(async () => expect((await post(event)).status).toBe(200));
  });

  test("of a sender that is on a block list is refused, and reaches those who do not block it", async () => {
    const [blocking, open] = [await inbox(), await inbox()];
    const entry = { entry: "elsewhere.example", inbox: blocking.address };
    const { status } = await client.post("/v1/lists/receive/block", entry, { key: blocking.key });
    expect(status).toBe(201);
    const refused = arrival(mailTo(blocking.address), [blocking.address]);
    expect(await post(refused)).toMatchObject({ status: 200, result: "blocked" });
    const both = arrival(mailTo(open.address), [blocking.address, open.address]);
    expect((await post(both)).result).toBe("stored");
    expect([(await blocking.list()).length, (await open.list()).length]).toEqual([0, 1]);
  });

  test("is refused where an allow list names its sender, whom no DMARC result proves", async () => {
    const { key, address, list } = await inbox();
    expect((await client.post("/v1/lists/receive/allow", { entry: ADA }, { key })).status).toBe(201);
    const spoofed = arrival(mailTo(address), [address]);
    expect(await post(spoofed)).toMatchObject({ status: 200, result: "blocked" });
    expect(await list()).toEqual([]);
  });

  test("at a return path is a bounce, or is in the mailbox that sent", async () => {
    const own = await inbox();
    const { list } = own;
    const { path, read } = await sentFrom(own);
    const report = dsn([{ recipient: ADA, diagnostic: "550 5.1.1 User unknown" }]);
    const forged = path.replace(/.@/, (end) => (end.startsWith("a") ? "b@" : "a@"));
    expect((await post(arrival(report, [forged]))).result).toBe("no_mailbox");
    expect(await read()).toBe("sent");
    expect((await post(arrival(mailTo(path), [path]))).status).toBe(200);
    expect(await read()).toBe("sent");
    expect((await list())[0]).toMatchObject({ from: ADA });
    expect((await post(arrival(report, [path]))).status).toBe(200);
    expect(await read()).toBe("bounced");
  });

  test("at a return path is a bounce that only its words tell, whatever its From", async () => {
    const own = await inbox();
    const { path, read } = await sentFrom(own);
    const words = `<${ADA}>:\r\n550 5.1.1 There is no such person\r\n\r\n--- Below this line is a copy of the message.\r\n`;
    const raw = mailTo(path, { body: words }).replace(`Ada <${ADA}>`, "Mail Gateway <gateway@elsewhere.example>");
    expect((await post(arrival(raw, [path]))).status).toBe(200);
    expect(await read()).toBe("bounced");
    expect(await own.list()).toHaveLength(1);
  });

  test("reaches the other recipients of a return path whose mailbox is full", async () => {
    const [full, other] = [await inbox(), await inbox()];
    const { path } = await sentFrom(full);
    const large = () => "x".repeat(900_000);
    for (const body of [large(), large()])
      await service.mail({ from: ADA, to: full.address, raw: mailTo(full.address, { body }) });
    expect((await post(arrival(mailTo(path, { body: large() }), [path, other.address]))).status).toBe(503);
    expect(await other.list()).toHaveLength(1);
  });
});

/** A message that left, and the return path of its recipient. */
async function sentFrom({ key, address }: Pick<Awaited<ReturnType<typeof inbox>>, "key" | "address">) {
  const { body } = await client.post<{ id: string }>(inboxPath(address, "/send"), { to: ADA, text: "x" }, { key });
  const read = async () => (await client.get<{ status: string }>(`/v1/messages/${body.id}`, { key })).body.status;
  await eventually(async () => expect(await read()).toBe("sent"));
  const path = returnPath(service.system, { messageId: decodeId("msg", body.id) ?? "", index: 0 }, "mail.example");
  return { path, read };
}

describe("a download", () => {
  test.each<[string, RawAnswer]>([
    ["that is not there", { status: 404 }],
    ["that fails", { status: 500 }],
    ["that leads to a private address", { status: 302, headers: { location: "http://169.254.169.254/" } }],
    ["that breaks off", { cut: true }],
    ["of no bytes at all", { url: null }],
    ["from another host", { url: "https://attacker.example/raw" }],
    ["from a private address", { url: "https://10.0.0.1/raw" }],
    ["from another port of this machine", { url: "http://127.0.0.1:5432/" }],
  ])("%s answers 503, and the next event stores the mail", async (_, fault) => {
    const { address, list } = await inbox();
    const event = arrival({ ...fault, raw: mailTo(address) }, [address]);
    expect((await post(event)).status).toBe(503);
    expect(await list()).toEqual([]);
    double.mend(event.data.email_id);
    expect((await post(event)).result).toBe("stored");
    expect(await list()).toHaveLength(1);
  });

  test("larger than SMTP_MAX_BYTES is given up", async () => {
    const { address, list } = await inbox();
    const event = arrival("x".repeat(MAX_BYTES + 1), [address]);
    expect(await post(event)).toMatchObject({ status: 200, result: "too_large" });
    expect(await list()).toEqual([]);
  });

  test("never reaches this machine where the API is elsewhere", async () => {
    const { ownPorts } = service.system;
    const rules = { WEBHOOK_TARGETS: "public" as const, WEBHOOK_ALLOWED_HOSTS: [] };
    const downloads = createDownloads("https://api.resend.com", dialFor({ settings: rules, ownPorts }, 1_000));
    const { signal } = new AbortController();
    const [plain, secure] = [double.url, double.url.replace("http:", "https:")];
    for (const url of [plain, secure, "https://api.resend.com@127.0.0.1/", "https://resend.com.attacker.example/"]) {
      expect(await downloads.download(url, MAX_BYTES, signal)).toMatchObject({ outcome: "later" });
    }
    await downloads.close();
  });

  test("that is cut off by a stop loses nothing", async () => {
    const other = await startTestService(settings, { database: service.database });
    const { address, list } = await inbox();
    const event = arrival({ raw: mailTo(address), hang: true }, [address]);
    const answer = postEvent(other.url, event).catch(() => undefined);
    await eventually(() => expect(double.account.requests.at(-1)).toContain("/raw/"));
    await other.stop();
    expect((await answer)?.status).not.toBe(200);
    double.mend(event.data.email_id);
    expect((await post(event)).result).toBe("stored");
    expect(await list()).toHaveLength(1);
  });
});
