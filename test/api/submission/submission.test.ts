// Mail that programs submit over SMTP with an agent key: what is sent, held and refused, with real clients.
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { mailer, speak } from "#test/support/inbound.ts";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const run = promisify(execFile);
/** Why a client cannot run here. */
const missing = (program: string, ...args: string[]) =>
  spawnSync(program, args).error ? `${program} is not installed` : undefined;
const noPython = missing("python3", "--version");
const noSwaks = missing("swaks", "--version");
const noMsmtp = missing("msmtp", "--version");
const titled = (title: string, why: string | undefined) => (why ? `${title} (${why})` : title);

// Without a worker: a message is as it was queued.
const service = await startTestService({
  ROLES: "web,smtp",
  SUBMISSION_PORT: "0",
  SUBMISSIONS_PORT: "0",
  SEND_CAP_RAMP: "60",
});
const client = api(service);
afterAll(() => client.close().then(service.stop));

const TO = "friend@else.example";

type Message = {
  id: string;
  status: string;
  to: string[];
  cc: string[];
  bcc: string[];
  reply_to: string[];
  recipients: { address: string; name?: string }[];
  subject: string;
  text: string | null;
  html: string | null;
  thread_id: string;
  attachments: { id: string; filename: string; content_type: string; size: number }[];
};

async function newSender(grant: Parameters<typeof service.newOrganization>[0] = {}) {
  const organization = await service.newOrganization(grant);
  const { agentKey: key } = organization;
  const { address } = await client.createInbox(key);
  const login = { user: address, pass: key };
  const transport = (options: object = {}) => mailer(service.submissionPort, { auth: login, ...options });
  const sent = async (response: string) => {
    const [, id = ""] = /^250 2\.6\.0 (?:Queued|Held for approval) as (msg_\w+)/.exec(response) ?? [];
    return (await client.get<Message>(`/v1/messages/${id}`, { key })).body;
  };
  const count = async () =>
    (await client.get<Page<object>>(inboxPath(address, "/messages?limit=100"), { key })).body.data.length;
  return { ...organization, key, address, login, transport, sent, count };
}

type Sender = Awaited<ReturnType<typeof newSender>>;

const plain = (user: string, pass: string) => Buffer.from(`\0${user}\0${pass}`).toString("base64");

/** A session over TLS that has signed in. */
async function signedIn({ address, key }: Pick<Sender, "address" | "key">, localAddress?: string) {
  const session = await speak(service.submissionsPort, localAddress, true);
  await session.read();
  await session.ask("EHLO client.example");
  const answer = await session.ask(`AUTH PLAIN ${plain(address, key)}`);
  return { ...session, answer };
}

/** Hands over a mail as it is. @returns the last reply */
async function hand(sender: Sender, lines: string[], recipients = [TO], parameters = "") {
  const session = await signedIn(sender);
  expect(session.answer).toMatch(/^235 /);
  const from = await session.ask(`MAIL FROM:<${sender.address}>${parameters}`);
  if (!from.startsWith("250")) return from;
  for (const each of recipients) await session.ask(`RCPT TO:<${each}>`);
  await session.ask("DATA");
  const answer = await session.ask(`${lines.join("\r\n")}\r\n.`);
  session.socket.destroy();
  return answer;
}

const mailOf = ({ address }: Sender, more: string[] = [], body = ["Hello"]) => [
  `From: Bot <${address}>`,
  `To: ${TO}`,
  "Subject: s",
  ...more,
  "",
  ...body,
];

describe("what is sent", () => {
  test("nodemailer's mail, with its recipients, texts and files", async () => {
    const sender = await newSender();
    const { response } = await sender.transport().sendMail({
      from: { name: "Any Name", address: sender.address },
      to: `"A Friend" <${TO}>`,
      cc: { name: "Grün, Zoë", address: "copy@else.example" },
      bcc: "blind@else.example",
      subject: "Grüße",
      text: "Hello",
      html: '<p>Hello <img src="cid:logo@x"></p>',
      attachments: [
        { filename: "a.bin", content: Buffer.from([0, 1, 2, 255]) },
        { filename: "logo.png", cid: "logo@x", content: Buffer.from("png"), contentType: "image/png" },
      ],
    });
    expect(response).toMatch(/^250 2\.6\.0 Queued as msg_\w+$/);
    expect(await sender.sent(response)).toMatchObject({
      status: "queued",
      to: [TO],
      cc: ["copy@else.example"],
      bcc: ["blind@else.example"],
      recipients: [{ name: "A Friend" }, { name: "Grün, Zoë" }, {}],
      subject: "Grüße",
      text: "Hello",
      html: '<p>Hello <img src="cid:logo@x"></p>',
      attachments: [
        { filename: "logo.png", content_type: "image/png", size: 3 },
        { filename: "a.bin", content_type: "application/octet-stream", size: 4 },
      ],
    });
  });

  test("with TLS from the start and AUTH LOGIN, several mails of one session", async () => {
    const sender = await newSender();
    const transport = sender.transport({
      port: service.submissionsPort,
      secure: true,
      authMethod: "LOGIN",
      pool: true,
      maxConnections: 1,
    });
    for (const text of ["one", "two"]) {
      const { response } = await transport.sendMail({ from: sender.address, to: TO, subject: text, text });
      expect(await sender.sent(response)).toMatchObject({ subject: text, text: `${text}\n`, bcc: [] });
    }
    transport.close();
  });

  test.skipIf(noPython)(titled("smtplib's mail, with an invitation", noPython), async () => {
    const sender = await newSender();
    const script = `
import smtplib, sys
from email.message import EmailMessage
user, key, port = sys.argv[1:4]
mail = EmailMessage()
mail["From"], mail["To"], mail["Subject"] = user, "${TO}", "Meet"
mail.set_content("Come")
mail.add_alternative("BEGIN:VCALENDAR\\r\\nEND:VCALENDAR\\r\\n", subtype="calendar", params={"method": "REQUEST"})
with smtplib.SMTP("127.0.0.1", int(port)) as client:
    client.starttls()
    client.login(user, key)
    print(client.send_message(mail))
    client.sendmail(user, ["${TO}"], "From: %s\\r\\nSubject: bare\\r\\n\\r\\nno To" % user)
`;
    const { stdout } = await run("python3", ["-c", script, sender.address, sender.key, String(service.submissionPort)]);
    expect(stdout.trim()).toBe("{}");
    const { body } = await client.get<Page<Message>>(inboxPath(sender.address, "/messages"), { key: sender.key });
    expect(body.data.map(({ subject, to }) => [subject, to])).toEqual([
      ["bare", [TO]],
      ["Meet", [TO]],
    ]);
    const meet = await client.get<Message>(`/v1/messages/${body.data[1]?.id}`, { key: sender.key });
    expect(meet.body.attachments).toMatchObject([
      { filename: "invite.ics", content_type: "text/calendar; charset=utf-8; method=REQUEST" },
    ]);
  });

  test.skipIf(noSwaks)(titled("swaks' mail", noSwaks), async () => {
    const { address, key } = await newSender();
    const login = ["--auth", "PLAIN", "--auth-user", address, "--auth-password", key];
    const mail = ["--from", address, "--to", TO, "--server", `127.0.0.1:${service.submissionPort}`, "--tls"];
    const { stdout } = await run("swaks", [...login, ...mail]);
    expect(stdout).toContain("250 2.6.0 Queued as msg_");
  });

  test.skipIf(noMsmtp)(titled("msmtp's mail", noMsmtp), async () => {
    const { address, key, count } = await newSender();
    const server = ["--host=127.0.0.1", `--port=${service.submissionPort}`, "--tls=on", "--tls-certcheck=off"];
    const login = ["--auth=on", `--user=${address}`, `--passwordeval=echo ${key}`, `--from=${address}`];
    // The service runs in this process, so the program must not be waited for in one turn.
    const sending = run("msmtp", [...server, ...login, TO]);
    sending.child.stdin?.end(`From: ${address}\nTo: ${TO}\nSubject: s\n\nHello\n`);
    await sending;
    expect(await count()).toBe(1);
  });

  test("8 bits, international addresses, and commands that come together", async () => {
    const sender = await newSender();
    const international = "grüße@else.example";
    const lines = [
      `From: ${sender.address}`,
      `To: ${international}`,
      "Subject: Ünïcode",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: 8bit",
      "",
      "Größe",
    ];
    const session = await signedIn(sender);
    session.write(`MAIL FROM:<${sender.address}> BODY=8BITMIME SMTPUTF8\r\nRCPT TO:<${international}>\r\nDATA\r\n`);
    for (const code of [250, 250, 354]) expect(await session.read()).toMatch(new RegExp(`^${code}`));
    const answer = await session.ask(`${lines.join("\r\n")}\r\n.`);
    expect(await sender.sent(answer)).toMatchObject({ to: [international], subject: "Ünïcode", text: "Größe\n" });
  });

  test("a Reply-To of several addresses is kept", async () => {
    const sender = await newSender();
    const mail = mailOf(sender, ["Reply-To: Help <help@else.example>, desk@else.example"]);
    const { reply_to } = await sender.sent(await hand(sender, mail));
    expect(reply_to).toEqual(["help@else.example", "desk@else.example"]);
  });

  test("a reply joins the thread of what it answers, also of a submitted mail", async () => {
    const sender = await newSender();
    const first = await sender.sent(await hand(sender, mailOf(sender, ["Message-ID: <first@laptop>"])));
    const again = mailOf(sender, ["Message-ID: <next@laptop>", "In-Reply-To: <first@laptop>"]);
    expect(await sender.sent(await hand(sender, again))).toMatchObject({ thread_id: first.thread_id });
    const elsewhere = mailOf(sender, ["References: <old@else.example> <unknown@else.example>"]);
    const other = await sender.sent(await hand(sender, elsewhere));
    const { sql } = service.system;
    const rows =
      await sql`select in_reply_to, references_ids from messages where thread_id = ${decodeId("thr", other.thread_id) ?? ""}`;
    expect(rows).toEqual([{ in_reply_to: "unknown@else.example", references_ids: ["unknown@else.example"] }]);
    expect(other.thread_id).not.toBe(first.thread_id);
  });

  test("what a send does not have is named in the answer", async () => {
    const sender = await newSender();
    const mail = mailOf(sender, [
      "X-Mailer: any",
      "X-Campaign: 7",
      "Importance: high",
      "Date: Sun, 29 Nov 2026 03:00:00 +0000",
    ]);
    expect(await hand(sender, mail)).toMatch(/^250 2\.6\.0 Queued as msg_\w+; not kept: X-Campaign, Importance$/);
  });

  test("recipients that the header does not name are Bcc, and Cc alone is To", async () => {
    const sender = await newSender();
    const blind = await hand(sender, mailOf(sender, ["Bcc: hidden@else.example"]), [TO, "b1@else.example"]);
    expect(await sender.sent(blind)).toMatchObject({ to: [TO], bcc: ["b1@else.example"] });
    const cc = [`From: ${sender.address}`, `Cc: ${TO}`, "", "Hello"];
    expect(await sender.sent(await hand(sender, cc))).toMatchObject({ to: [TO], cc: [], bcc: [] });
  });

  test("the activity of the key has it, as every send", async () => {
    const sender = await newSender();
    const { id } = await sender.sent(await hand(sender, mailOf(sender)));
    const { body: me } = await client.get<{ key_id: string }>("/v1/auth/me", { key: sender.key });
    const { body } = await client.get<Page<object>>(`/v1/keys/${me.key_id}/activity`, { key: sender.key });
    expect(JSON.stringify(body.data)).toContain(id);
  });
});

describe("once", () => {
  test("the same Message-ID is the same message, and other content is refused", async () => {
    const sender = await newSender();
    const mail = mailOf(sender, ["Message-ID: <one@laptop>"]);
    const first = await hand(sender, mail);
    expect(await hand(sender, mail)).toBe(first);
    expect(await hand(sender, [...mail, "more"])).toMatch(/^550 5\.6\.0 .*Message-ID/);
    expect(await hand(await newSender(), mail)).toMatch(/^550/);
    expect(await sender.count()).toBe(1);
    await hand(sender, mailOf(sender));
    await hand(sender, mailOf(sender));
    expect(await sender.count()).toBe(3);
  });

  test("also for a client that drops before it has the reply", async () => {
    const sender = await newSender();
    const mail = mailOf(sender, ["Message-ID: <dropped@laptop>"]);
    const session = await signedIn(sender);
    await session.ask(`MAIL FROM:<${sender.address}>`);
    await session.ask(`RCPT TO:<${TO}>`);
    await session.ask("DATA");
    await new Promise((resolve) => session.socket.end(`${mail.join("\r\n")}\r\n.\r\n`, () => resolve(undefined)));
    session.socket.destroy();
    await expect.poll(sender.count).toBe(1);
    expect(await sender.sent(await hand(sender, mail))).toMatchObject({ status: "queued" });
    expect(await sender.count()).toBe(1);
  });
});

describe("what the verb decides", () => {
  test("approval: 250 says that it is held", async () => {
    const sender = await newSender();
    const { trpc } = await newOwner(service, sender.organizationId);
    await trpc.reviews.setPolicy.mutate({ review: "all" });
    const answer = await hand(sender, mailOf(sender));
    expect(answer).toMatch(/^250 2\.6\.0 Held for approval as msg_\w+$/);
    expect(await sender.sent(answer)).toMatchObject({ status: "held" });
  });

  test("the cap: 451 until the next day", async () => {
    const sender = await newSender();
    const many = Array.from({ length: 50 }, (_, n) => `r${n}@else.example`);
    expect(await hand(sender, mailOf(sender), [TO, ...many.slice(1)])).toMatch(/^250/);
    expect(await hand(sender, mailOf(sender), [TO, ...many.slice(0, 20)])).toMatch(
      /^451 4\.7\.1 .*Try again after \d{4}-\d\d-\d\dT00:00:00Z/,
    );
    expect(await sender.count()).toBe(1);
  });

  test("50 recipients at most, all of them or none", async () => {
    const sender = await newSender();
    const many = Array.from({ length: 50 }, (_, n) => `r${n}@else.example`);
    expect(await hand(sender, mailOf(sender), [TO, ...many])).toMatch(/^550 5\.6\.0 .*at most 50 recipients/);
    expect(await sender.count()).toBe(0);
  });

  test("suppressed and blocked recipients, and a paused mailbox: 550 with the reason", async () => {
    const sender = await newSender();
    await client.post("/v1/suppressions", { address: "gone@else.example" }, { key: sender.key });
    await client.post("/v1/lists/send/block", { entry: "blocked.example" }, { key: sender.key });
    const to = async (address: string) =>
      hand(sender, [`From: ${sender.address}`, `To: ${address}`, "", "x"], [address]);
    expect(await to("gone@else.example")).toMatch(/^550 5\.7\.1 .*gone@else\.example/);
    expect(await to("a@blocked.example")).toMatch(/^550 5\.7\.1 .*a@blocked\.example/);
    await client.post(
      `/v1/inboxes/${encodeURIComponent(sender.address)}/pause`,
      { reason: "Stop" },
      { key: sender.key },
    );
    expect(await to("a@else.example")).toMatch(/^550 5\.7\.1 .*paused/);
    expect(await sender.count()).toBe(0);
  });

  test("a key without the scope: 550", async () => {
    const sender = await newSender({ scopes: ["mailbox:create", "mailbox:read"] });
    expect(await hand(sender, mailOf(sender))).toMatch(/^550 5\.7\.1 .*mailbox:send/);
  });
});

describe("what is refused, with what to do", () => {
  const signed = 'multipart/signed; boundary=b; protocol="application/pgp-signature"';
  const parts = (type: string, ...each: string[][]) => [
    `Content-Type: ${type}`,
    "",
    ...each.flatMap((lines) => ["--b", ...lines]),
    "--b--",
  ];
  const from = "From: Bot <BOX>";
  const cases: [string, string[], RegExp][] = [
    ["From of another mailbox", ["From: other@mail.example", `To: ${TO}`, "", "x"], /5\.6\.0 You signed in for/],
    ["a second From", [from, "From: ceo@else.example", `To: ${TO}`, "", "x"], /one From header/],
    ["a second mailbox in From", ["From: BOX, ceo@else.example", `To: ${TO}`, "", "x"], /one From header/],
    ["a plus tag in From", ["From: BOX_TAG", `To: ${TO}`, "", "x"], /one From header/],
    ["no From", [`To: ${TO}`, "", "x"], /one From header/],
    ["another Sender", [from, "Sender: ceo@else.example", `To: ${TO}`, "", "x"], /Sender header/],
    ["two subjects", [from, `To: ${TO}`, "Subject: a", "Subject: b", "", "x"], /subject must occur once/],
    ["Resent-From", [from, `To: ${TO}`, "Resent-From: a@b.example", "", "x"], /Forward it instead/],
    ["List-Unsubscribe", [from, `To: ${TO}`, "List-Unsubscribe: <mailto:a@b.example>", "", "x"], /list_unsubscribe/],
    ["To without RCPT", [from, `To: ${TO}, more@else.example`, "", "x"], /RCPT TO does not: more@else\.example/],
    ["no text", [from, `To: ${TO}`, "", ""], /`text`, `html` or both/],
    [
      "PGP",
      [from, `To: ${TO}`, ...parts(signed, ["", "x"], ["Content-Type: application/pgp-signature", "", "sig"])],
      /signed or encrypted/,
    ],
    [
      "S/MIME",
      [from, `To: ${TO}`, "Content-Type: application/pkcs7-mime; smime-type=signed-data", "", "MII="],
      /signed or encrypted/,
    ],
    [
      "a report",
      [
        from,
        `To: ${TO}`,
        ...parts("multipart/report; boundary=b", ["", "x"], ["Content-Type: message/delivery-status", "", "y"]),
      ],
      /Reports/,
    ],
    [
      "another form",
      [
        from,
        `To: ${TO}`,
        ...parts("multipart/alternative; boundary=b", ["", "x"], ["Content-Type: text/x-amp-html", "", "y"]),
      ],
      /text\/x-amp-html/,
    ],
    [
      "a text beside HTML",
      [from, `To: ${TO}`, ...parts("multipart/mixed; boundary=b", ["Content-Type: text/html", "", "x"], ["", "foot"])],
      /no alternative of it/,
    ],
    [
      "too many parts",
      [from, `To: ${TO}`, ...parts("multipart/mixed; boundary=b", ...Array.from({ length: 2_001 }, () => ["", "x"]))],
      /not valid/,
    ],
    ["an open structure", [from, `To: ${TO}`, "Content-Type: multipart/mixed; boundary=b", "", "x"], /not valid/],
    ["an unknown encoding", [from, `To: ${TO}`, "Content-Transfer-Encoding: x-own", "", "x"], /cannot be undone/],
    [
      "a large header",
      [from, `To: ${TO}`, ...Array.from({ length: 1_000 }, (_, n) => `X-${n}: y`), "", "x"],
      /1000 lines/,
    ],
  ];
  test.each(cases)("%s", async (_, lines, answer) => {
    const sender = await newSender();
    const own = lines.map((line) =>
      line.replace("BOX_TAG", sender.address.replace("@", "+a@")).replace("BOX", sender.address),
    );
    expect(await hand(sender, own)).toMatch(answer);
    expect(await sender.count()).toBe(0);
  });

  test("several Bcc recipients without To", async () => {
    const sender = await newSender();
    const mail = [`From: ${sender.address}`, "To: undisclosed-recipients:;", "", "x"];
    expect(await hand(sender, mail, [TO, "b@else.example"])).toMatch(/^550 5\.6\.0 Name at least one recipient in To/);
    expect(await sender.sent(await hand(sender, mail))).toMatchObject({ to: [TO], bcc: [] });
  });

  test("MAIL FROM of another mailbox, or empty", async () => {
    const sender = await newSender();
    const session = await signedIn(sender);
    for (const path of ["<other@mail.example>", "<>", `<${sender.address.replace("@", "+a@")}>`]) {
      expect(await session.ask(`MAIL FROM:${path}`)).toMatch(/^550 5\.7\.1 You signed in for/);
    }
    expect(await session.ask(`MAIL FROM:<${sender.address.toUpperCase()}>`)).toMatch(/^250/);
    session.socket.destroy();
  });

  test("a mail larger than a send", async () => {
    const { address, key } = await newSender();
    const session = await signedIn({ address, key });
    expect(await session.ask(`MAIL FROM:<${address}> SIZE=26214401`)).toMatch(/^552 5\.3\.4/);
    session.socket.destroy();
  });
});
