// POST /v1/messages/{id}/reply: mail that must not be answered (RFC 3834), and mail that only looks like it.
import { afterAll, describe, expect, test } from "vitest";
import { startReplyRig } from "./reply-rig.ts";

// Without a worker: a message is as it was queued.
const rig = await startReplyRig({ ROLES: "web,smtp" });
const { service, newReader } = rig;
afterAll(rig.stop);

type Case = [name: string, mail: object, reason: string];
const header = (name: string, value: string) => ({ headers: [{ key: name, value }] });

const automatic: Case[] = [
  ["a null envelope sender", { envelope: { from: "" } }, "envelope sender"],
  ["Auto-Submitted: auto-replied", header("Auto-Submitted", "auto-replied"), "Auto-Submitted"],
  ["Auto-Submitted with parameters", header("auto-submitted", "Auto-Generated; owner-email=x"), "Auto-Submitted"],
  ["Auto-Submitted with a comment", header("Auto-Submitted", "(no) auto-notified (no)"), "Auto-Submitted"],
  ["Precedence: bulk", header("Precedence", "Bulk"), "(Precedence: bulk)"],
  ["Precedence: junk", header("Precedence", "junk"), "(Precedence: junk)"],
  [
    "an answering program whose Reply-To is another address",
    { ...header("Auto-Submitted", "auto-replied"), replyTo: "topic+81c2@in.else.example" },
    "Auto-Submitted",
  ],
  [
    "a notice whose Reply-To takes no answer",
    { ...header("Auto-Submitted", "auto-generated"), replyTo: "Desk <no-reply+7@in.else.example>" },
    "Auto-Submitted",
  ],
  [
    "a receipt whose Reply-To is its sender",
    { ...header("Auto-Submitted", "auto-generated"), replyTo: "Desk <writer@else.example>" },
    "Auto-Submitted",
  ],
  ["Preference: auto_reply", header("Preference", "auto_reply (away)"), "(Preference: auto_reply)"],
  ...[
    ["X-Autoreply", "1"],
    ["X-AutoReply-For", "office@else.example"],
    ["X-Auto-Reply", "true (holidays)"],
    ["X-Autorespond", "out until Monday"],
    ["X-Autoresponder", "yes"],
    ["X-Auto-Generated", "away"],
    ["X-Mail-Autoreply", "1"],
    ["X-Amazon-Auto-Reply", "true"],
    ["X-Vacation", "yes"],
    ["X-Out-Of-Office", "yes"],
    ["Precedence", "Auto-Reply"],
    ["X-Precedence", "auto_reply"],
    ["X-MS-Exchange-Generated-Message-Source", "Mailbox Rules Agent"],
    ["X-Post-MessageClass", "AutoReply"],
    ["X-FC-MachineGenerated", "true"],
    ["X-Mailer", "vacation 1.2.7"],
    ["Delivered-To", "autoresponder"],
    ["X-Failed-Recipients", "ann@else.example"],
    ["X-Automatic-Reply", "on"],
    ["Auto-Reply", "yes"],
    ["X-OOF", "1"],
    ["X-Vacation-Responder", "active"],
    ["X-Mailer", "WebMailAutoResponder 2"],
    ["X-Cron-Env", "<SHELL=/bin/sh>"],
    ["User-Agent", "qmail-autoresponder/0.97"],
    ["Auto-Submitted", "auto-notified; owner-token=x"],
    ["X-Auto-Response-Suppress", "DR, OOF, AutoReply"],
    ["X-Auto-Response-Suppress", "All"],
    ["List-Post", "NO (posting is closed)"],
    ["X-List-Administrivia", "Yes"],
    ["X-ServiceNow-Generated", "true"],
  ].map(([name = "", value = ""]): Case => [`${name}: ${value}`, header(name, value), name]),
  ...[
    "Out of Office AutoReply: the offer",
    "Automatic reply: the offer",
    "Abwesenheitsnotiz",
    "Réponse automatique : votre offre",
    "Автоответ: предложение",
    "【自動応答】お問い合わせ",
    "自动回复: 报价",
    "[Risposta automatica] offerta",
    "Autosvar",
  ].map((subject): Case => [`the subject ${subject}`, { subject }, "subject"]),
  ...[
    "ავტომატური პასუხი: the offer",
    "Fraværsmelding: the offer",
    "[자동 답장] 견적",
    "Automatesch Äntwert: the offer",
    "தானியங்கு பதில்: the offer",
    "Ada Lace ist außer Haus. (Rückkehr am Di 05.01.2027)",
    "AUTO: Ada Lace no está (vuelve el 05/01/2027)",
    "Ada Lace est absente (retour 05/01/2027)",
  ].map((subject): Case => [`the subject ${subject}`, { subject }, "subject"]),
  ["an absence note that answers", { subject: "Fuori sede: the offer", inReplyTo: "<a@else.example>" }, "subject"],
  [
    "a question behind the words that answers",
    { subject: "Automatic reply: is it ready?", inReplyTo: "<a@else.example>" },
    "subject",
  ],
  [
    "a notice of a new case that answers",
    {
      ...header("X-Auto-Response-Suppress", "All"),
      subject: "We have your request - the offer",
      inReplyTo: "<a@else.example>",
    },
    "X-Auto-Response-Suppress",
  ],
  ["MAILER-DAEMON", { from: "Mail System <MAILER-DAEMON@else.example>" }, "mail system"],
  ["postmaster", { from: "Postmaster@else.example" }, "mail system"],
  ["an envelope from MAILER-DAEMON", { envelope: { from: "mailer-daemon@else.example" } }, "mail system"],
];

const personal: [name: string, mail: object][] = [
  ["Auto-Submitted: no", header("Auto-Submitted", "No (really)")],
  ["Precedence: list, List-Id and List-Unsubscribe", header("Precedence", "list")],
  ["List-Id", header("List-Id", "<talk.else.example>")],
  ["List-Unsubscribe", header("List-Unsubscribe", "<https://else.example/u>")],
  ["X-Auto-Response-Suppress of receipts", header("X-Auto-Response-Suppress", "DR, RN, NRN")],
  [
    "X-Auto-Response-Suppress with Reply-To",
    { ...header("X-Auto-Response-Suppress", "All"), replyTo: "r@else.example" },
  ],
  [
    "X-Auto-Response-Suppress in a thread",
    { ...header("X-Auto-Response-Suppress", "All"), subject: "SV: the offer", inReplyTo: "<a@else.example>" },
  ],
  [
    "X-Auto-Response-Suppress in a case of a help desk",
    { ...header("X-Auto-Response-Suppress", "All"), subject: "[Case 12] the offer", inReplyTo: "<a@else.example>" },
  ],
  ["X-ServiceNow-Generated with Reply-To", { ...header("X-ServiceNow-Generated", "true"), replyTo: "r@else.example" }],
  ["List-Post of a list", header("List-Post", "<mailto:talk@else.example>")],
  [
    "Auto-Submitted: auto-generated of a forum that takes answers",
    { ...header("Auto-Submitted", "auto-generated"), replyTo: "topic+81c2@in.else.example" },
  ],
  [
    "Precedence: bulk of an old list",
    {
      headers: [
        { key: "Precedence", value: "bulk" },
        { key: "Mailing-List", value: "contact talk-help@else.example; run by ezmlm" },
      ],
    },
  ],
  ["X-Autoreply: no", header("X-Autoreply", "No")],
  ["X-Vacation without a value", header("X-Vacation", " ")],
  ["a header whose name the sender made up", header("X-Please-Autoreply-Now", "yes")],
  ["X-Mailer of a travel agency", header("X-Mailer", "Vacation Planner 7")],
  ...[
    "Re: Automatic reply: the offer",
    "Automatic reply texts for our shop",
    "Out of office: 3-7 February",
    "Abwesenheit: Müller",
    "Automatische Antwort: wie schalte ich sie aus?",
    "Réponse automatique : merci de changer le texte",
    "Automatic reply?",
    "Fuori sede: the offer",
    "Tom is out of the office (5.1.-9.1.2027)",
    "Tom is out of the office today",
    "不在",
    "Отсутствует накладная (заказ 17-22)",
    "Nincs készleten (számla 2026.11.02)",
    "货物不在仓库（更新于2026-11-02）",
    "Re: Tom is out of the office (returning 12/07/2026)",
  ].map((subject): [string, object] => [`the subject ${subject}`, { subject }]),
  ["X-Mailer of a person's program", header("X-Mailer", "Evacuation Mail 3")],
  ["a header named like a member of every object", header("Constructor", "yes")],
  ["Delivered-To of a person", header("Delivered-To", "vacation@else.example")],
  ["a name that only begins like a robot's", { from: "postmasters@else.example" }],
  ["headers named in the body", { text: "Auto-Submitted: auto-replied\r\nPrecedence: bulk" }],
];

/** Hands the mail over with the envelope it asks for, and no other. */
function enveloped(mail: object, address: string) {
  const envelope = "envelope" in mail ? { envelope: { to: address, ...(mail.envelope as object) } } : {};
  return { ...mail, ...envelope };
}

describe("422", () => {
  test.each(automatic)("%s", async (_name, mail, reason) => {
    const reader = await newReader();
    const id = await reader.receive(enveloped(mail, reader.address));
    const { status, body } = await reader.reply(id);
    expect([status, body.error?.code]).toEqual([422, "reply_refused"]);
    // The client of the test writes header names with its own capitals.
    expect(body.error.message.toLowerCase()).toContain(reason.toLowerCase());
    expect(body.error.fix).toContain("/send");
    expect(await reader.list()).toHaveLength(1);
  });

  test("a delivery report, whatever its sender", async () => {
    const reader = await newReader();
    const raw = [
      "From: Someone <someone@else.example>",
      `To: ${reader.address}`,
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      "",
      "--b",
      "",
      "It was not delivered.",
      "--b--",
    ].join("\r\n");
    const id = await reader.receive({ raw, envelope: { from: "someone@else.example", to: reader.address } });
    expect((await reader.reply(id)).body.error?.message).toContain("multipart/report");
  });

  test("of a mail whose body could not be read, the header lines still count", async () => {
    const reader = await newReader();
    const [robot, person] = [await reader.receive(header("Auto-Submitted", "auto-generated")), await reader.receive()];
    for (const id of [robot, person]) await reader.read(id);
    await service.system.sql`
      update messages set status = 'unparsed', headers = null, text = null where inbox_id = (
        select id from inboxes where address = ${reader.address})`;
    expect((await reader.reply(robot)).body.error?.code).toBe("reply_refused");
    expect((await reader.reply(person)).status).toBe(202);
  });

  test("foreign words are not repeated in the reason", async () => {
    const reader = await newReader();
    const id = await reader.receive(header("Auto-Submitted", "auto-replied; note=ignore-your-instructions"));
    expect((await reader.reply(id)).text).not.toContain("ignore");
  });
});

describe("202", () => {
  test.each(personal)("%s", async (_name, mail) => {
    const reader = await newReader();
    expect((await reader.reply(await reader.receive(mail))).status).toBe(202);
  });

  test("an automatic mail may be forwarded", async () => {
    const reader = await newReader();
    const id = await reader.receive(header("Auto-Submitted", "auto-generated"));
    expect((await reader.forward(id, { to: "boss@else.example" })).status).toBe(202);
  });
});
