// The verdict on spam: figures over many mails, and what messages say of it.
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRandom } from "#test/extraction/fit/random.ts";
import { WITHOUT_CODE_HELD_BACK } from "#test/extraction/held-back/without-code.ts";
import { WRITTEN_HELD_BACK } from "#test/extraction/held-back/written.ts";
import { mails } from "#test/extraction/mails/all.ts";
import { readWritten } from "#test/extraction/mails/read-written.ts";
import { WITHOUT_CODE } from "#test/extraction/mails/without-code.ts";
import { WRITTEN } from "#test/extraction/mails/written.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { frauds, type Proof } from "./frauds.ts";
import { verdictOn } from "./judge.ts";

/** An address of this machine, for a spam filter. */
const FILTER = "127.0.0.9";
const service = await startTestService({ ROLES: "web,smtp", SPAM_FILTERS: FILTER });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Spam = { score: number; verdict: string; reasons: string[] };
type Message = { id: string; subject: string; spam: Spam; spam_verdict?: string; quarantined: boolean };

let key = "";
let address = "";
beforeAll(async () => {
  key = (await service.newOrganization()).agentKey;
  ({ address } = await client.createInbox(key, { username: "judged" }));
});

const listed = async () => (await client.get<Page<Message>>(inboxPath(address, "/messages"), { key })).body.data;

/** Templates of the half that nothing was tuned on. */
const UNSEEN_SHARE = 0.7;
const FRAUDS = 380;

test("seven of ten frauds of the templates that nothing was tuned on are spam", () => {
  const made = frauds(createRandom(20_261), FRAUDS);
  const order = createRandom(105).shuffled([...new Set(made.map(({ template }) => template))]);
  const unseen = new Set(order.slice(order.length / 2));
  const judged = made.filter(({ template }) => unseen.has(template)).map(({ raw, proof }) => verdictOn(raw, proof));
  const caught = judged.filter(({ verdict }) => verdict === "spam").length;
  expect(judged.length).toBeGreaterThanOrEqual(150);
  expect(caught / judged.length).toBeGreaterThanOrEqual(UNSEEN_SHARE);
});

test("no code, receipt or newsletter of an unknown sender is spam, authenticated or not", () => {
  const written = [WRITTEN, WITHOUT_CODE, WRITTEN_HELD_BACK, WITHOUT_CODE_HELD_BACK];
  const all = [...mails, ...written.flatMap(readWritten)];
  const spam = all.flatMap(({ name, from, subject, text, html }) =>
    (["pass", "none"] satisfies Proof[]).flatMap((proof) => {
      const type = html === undefined ? "text/plain" : "text/html";
      const raw = `From: ${from}\r\nTo: a@mail.example\r\nSubject: ${subject}\r\nDate: Sat, 28 Nov 2026 10:00:00 +0000\r\nMessage-ID: <1@shop.example>\r\nContent-Type: ${type}; charset=utf-8\r\n\r\n${html ?? text}\r\n`;
      return verdictOn(raw, proof).verdict === "spam" ? [`${name} ${proof}`] : [];
    }),
  );
  expect(all.length).toBeGreaterThan(560);
  expect(spam).toEqual([]);
});

test.each([
  ["no_date", "From: a@b.example\r\nTo: c@d.example\r\nMessage-ID: <1@b.example>\r\n\r\nx\r\n"],
  ["no_message_id", "From: a@b.example\r\nTo: c@d.example\r\nDate: Sat, 28 Nov 2026 10:00:00 +0000\r\n\r\nx\r\n"],
  ["hidden_recipients", "From: a@b.example\r\n\r\nx\r\n"],
  ["several_senders", "From: a@b.example, c@d.example\r\n\r\nx\r\n"],
  ["name_shows_other_sender", 'From: "boss@bank.example" <a@b.example>\r\n\r\nx\r\n'],
  ["name_claims_brand", 'From: "PayPal" <a@b.example>\r\n\r\nx\r\n'],
  ["mixed_scripts", "From: a@b.example\r\nSubject: =?utf-8?q?P=D0=B0ypal?=\r\n\r\nx\r\n"],
  ["reply_to_elsewhere", "From: a@b.example\r\nReply-To: a@gmail.com\r\n\r\nx\r\n"],
  ["misleading_link", 'Content-Type: text/html\r\n\r\n<a href="https://b.example/">www.paypal.com</a>'],
  ["lookalike_link", 'Content-Type: text/html\r\n\r\n<a href="https://xn--pypal-4ve.com/">pay</a>'],
  ["ip_link", 'Content-Type: text/html\r\n\r\n<a href="http://203.0.113.4/">pay</a>'],
  ["short_link", "From: a@b.example\r\n\r\nhttps://bit.ly/x\r\n"],
  ["bare_link", "From: a@b.example\r\n\r\nhttps://other.example/x\r\n"],
  ["short_link", "From: a@b.example\r\n\r\n»https://bit.ly«\r\n"],
  ["shouting", "From: a@b.example\r\nSubject: CLAIM EVERYTHING TODAY\r\n\r\nx\r\n"],
  ["scam_phrase", "From: a@b.example\r\n\r\nYou have no next of\r\nkin\r\n"],
  ["scam_phrases", "From: a@b.example\r\n\r\nThe deceased client left no next of kin.\r\n"],
])("%s", (reason, raw) => {
  expect(verdictOn(raw, "none").reasons).toContain(reason);
});

test.each([
  "From: a@b.example\r\nSubject: Gasket\r\n\r\nOur specialists need no preorder nowadays.\r\n",
  "From: a@b.example\r\n\r\nThe disinheritance of some socialists is bestowed.\r\n",
])("letters within other words are no phrase of spam: %j", (raw) => {
  const { reasons } = verdictOn(raw, "none");
  expect(reasons).not.toContain("scam_phrase");
  expect(reasons).not.toContain("scam_phrases");
});

test.each([
  "d\u2019viagra",
  "(viagra) ",
  "7viagra",
  "\u00d7viagra",
  "\u4ef7viagra",
  "\u0445viagra",
  "q\u0303 vi\ufe0fag\u034fr\u3164a",
  "100% free",
  "Your\t parcel is \r\n\r\n waiting",
  "\u0412\u044b \u0432\u044b\u0438\u0433\u0440\u0430\u043b\u0438!",
])("a phrase of spam begins a word behind any sign: %j", (text) => {
  const raw = `From: a@b.example\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`;
  expect(verdictOn(raw, "none").reasons).toContain("scam_phrase");
});

test("the name of a brand is no reason in mail of the brand", () => {
  for (const from of ['"PayPal" <a@paypal.com>', '"Amazon" <a@amazonses.com>', '"Apple" <a@email.apple.com>'])
    expect(verdictOn(`From: ${from}\r\n\r\nx\r\n`, "pass").reasons).not.toContain("name_claims_brand");
});

test("messages have score, verdict and reasons, and summaries the verdict", async () => {
  const raw =
    'From: "PayPal" <a@fraud.example>\r\nSubject: Verify\r\nContent-Type: text/html\r\n\r\n<p>Verify your account within 24 hours: <a href="https://fraud.example/x">www.paypal.com</a></p>\r\n';
  await service.mail({ from: "a@fraud.example", to: address, raw });
  const waited = await client.post<{ message: Message }>(
    inboxPath(address, "/wait"),
    { after: "2020-01-01T00:00:00Z", timeout_seconds: 20 },
    { key },
  );
  const { id } = waited.body.message;
  await expect.poll(async () => (await client.get<Message>(`/v1/messages/${id}`, { key })).body.spam).not.toBeNull();
  const { spam, quarantined } = (await client.get<Message>(`/v1/messages/${id}`, { key })).body;
  expect(spam).toMatchObject({
    verdict: "spam",
    reasons: expect.arrayContaining(["name_claims_brand", "misleading_link"]),
  });
  expect(quarantined).toBe(false);
  const { data } = (await client.get<Page<Message>>("/v1/messages", { key })).body;
  expect(data).toMatchObject([{ id, spam_verdict: "spam", quarantined: false }]);
});

test.each([
  ["X-Spam-Flag: YES", FILTER, true],
  ["X-Spam-Status: Yes, score=9.1 required=5.0", FILTER, true],
  ["X-Spam: Yes", FILTER, true],
  // The filter of an earlier server says nothing, also with a No of the trusted one beside it.
  ["X-Spam-Flag: YES", "127.0.0.1", false],
  ["X-Spam-Flag: NO", FILTER, false],
  ["X-Spam-Level: ***", FILTER, false],
])("%s from %s is what the filter found: %s", async (header, localAddress, isFound) => {
  const transport = createTransport({
    host: "127.0.0.1",
    port: service.smtpPort,
    localAddress,
    tls: { rejectUnauthorized: false },
  });
  const subject = `${header} ${localAddress}`;
  const raw = `From: joe@else.example\r\nTo: ${address}\r\nSubject: ${subject}\r\n${header}\r\n\r\nHello.\r\n`;
  await transport.sendMail({ envelope: { from: "joe@else.example", to: address }, raw });
  transport.close();
  const { id } = (await listed()).find((message) => message.subject === subject) ?? expect.fail("not listed");
  const spamOf = async () => (await client.get<Message>(`/v1/messages/${id}`, { key })).body.spam;
  await expect.poll(spamOf).toMatchObject({ verdict: isFound ? "spam" : "ham" });
  expect((await spamOf()).reasons.includes("filter")).toBe(isFound);
});
