// Mails that came back to a return path, as mail servers write them.

const CRLF = (text: string) => text.trimStart().replace(/\r?\n/g, "\r\n");

/** What a report says of one recipient: the fields of RFC 3464 §2.3. */
export type Fields = { recipient: string; action?: string; status?: string; diagnostic?: string; original?: string };

const group = ({ recipient, action = "failed", status = "5.1.1", diagnostic, original }: Fields) =>
  [
    ...(original ? [`Original-Recipient: rfc822;${original}`] : []),
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    ...(diagnostic ? [`Diagnostic-Code: smtp; ${diagnostic}`] : []),
  ].join("\n");

/** As Postfix writes it: text, machine part, and the header of the mail. */
export function dsn(fields: Fields[], { text = "This is the mail system.", nested = "Subject: Hello\n" } = {}): string {
  return CRLF(`
From: MAILER-DAEMON@far.example (Mail Delivery System)
To: b@bounce.example
Subject: Undelivered Mail Returned to Sender
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="edge"

This is a MIME-encapsulated message.

--edge
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

${text}

--edge
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; far.example
Arrival-Date: Fri, 20 Nov 2026 09:30:00 +0000

${fields.map(group).join("\n\n")}

--edge
Content-Type: message/rfc822

${nested}

--edge--
`);
}

/** RFC 5965. @param headers whether the reported mail is enclosed */
export function complaint(feedback: string, headers: boolean): string {
  return CRLF(`
From: <feedback@far.example>
Subject: FW: Hello
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="edge"

--edge
Content-Type: text/plain

This is an email abuse report.

--edge
Content-Type: message/feedback-report

Feedback-Type: ${feedback}
User-Agent: SomeGenerator/1.0
Version: 1
${headers ? "\n--edge\nContent-Type: text/rfc822-headers\n\nFrom: <a@b.example>\nSubject: Hello\n" : ""}
--edge--
`);
}

const text = (headers: string, body: string) => CRLF(`${headers}\n\n${body}\n`);

const to = "ada@elsewhere.example";
type Expected = { status: string; smtp_code?: number | null; enhanced_code?: string | null; reason?: unknown };

/** A report about `ada@elsewhere.example`, and what the recipient becomes. */
export const CORPUS: [string, string, Expected][] = [
  [
    "Postfix",
    dsn([{ recipient: to, original: to, diagnostic: "550 5.1.1 <ada@elsewhere.example>: Recipient address rejected" }]),
    { status: "bounced", smtp_code: 550, enhanced_code: "5.1.1", reason: containing("Recipient address rejected") },
  ],
  [
    "Postfix, which has not delivered yet",
    dsn([{ recipient: to, action: "delayed", status: "4.4.1", diagnostic: "connect: Connection timed out" }]),
    { status: "sent", enhanced_code: "4.4.1", reason: containing("delayed: ") },
  ],
  [
    "Postfix, which gave up after 5 days",
    dsn([{ recipient: to, status: "4.4.1", diagnostic: "connect: Connection timed out" }]),
    { status: "bounced", enhanced_code: "4.4.1", reason: containing("timed out") },
  ],
  [
    "Exim, with a Status that says little",
    dsn([{ recipient: to, status: "5.0.0", diagnostic: "550 5.1.1 unrouteable mail domain" }]).replace(
      "Subject:",
      `X-Failed-Recipients: ${to}\r\nSubject:`,
    ),
    { status: "bounced", smtp_code: 550, enhanced_code: "5.1.1" },
  ],
  [
    "Exchange, with folded fields and German text",
    dsn(
      [
        {
          recipient: to,
          status: "5.1.10",
          diagnostic: "550 5.1.10 RESOLVER.ADR.RecipientNotFound;\n Empfänger nicht gefunden",
        },
      ],
      {
        text: "Unzustellbar: Ihre Nachricht konnte nicht zugestellt werden.",
      },
    ),
    { status: "bounced", smtp_code: 550, enhanced_code: "5.1.10", reason: containing("Empfänger") },
  ],
  [
    "Gmail, in Japanese",
    dsn([{ recipient: to, diagnostic: "550-5.1.1 The email account that you tried to reach does not exist." }], {
      text: "メールは配信されませんでした。アドレスが見つかりません。",
    }),
    { status: "bounced", smtp_code: 550, enhanced_code: "5.1.1" },
  ],
  [
    "qmail, without a machine part",
    text(
      "From: MAILER-DAEMON@far.example\nSubject: failure notice",
      "Hi. This is the qmail-send program at far.example.\n<ada@elsewhere.example>:\nSorry, no mailbox here by that name. (#5.1.1)",
    ),
    { status: "bounced", enhanced_code: "5.1.1", reason: containing("5.1.1") },
  ],
  [
    "Exim, without a machine part",
    text(
      "From: Mail Delivery System <Mailer-Daemon@far.example>\nSubject: Mail delivery failed",
      "A message that you sent could not be delivered.\n\n  ada@elsewhere.example\n    host mx.elsewhere.example [192.0.2.1]\n    554 5.2.2 mailbox full\n\n------ This is a copy of the message",
    ),
    {
      status: "bounced",
      smtp_code: 554,
      enhanced_code: "5.2.2",
      reason: "host mx.elsewhere.example [192.0.2.1] 554 5.2.2 mailbox full",
    },
  ],
  [
    "words below the address, without a code",
    text(
      "From: MAILER-DAEMON@far.example\nSubject: failure notice",
      "Bonjour.\n\n<ada@elsewhere.example>:\nAdresse inconnue.\n\n--- Copie",
    ),
    { status: "bounced", smtp_code: null, reason: "Adresse inconnue." },
  ],
  [
    "the cause below a sentence with the address, without a code",
    text(
      "From: MAILER-DAEMON@far.example\nSubject: Viesti palautui",
      "Hei.\n\nViestisi osoitteeseen ada@elsewhere.example ei mennyt perille.\n\nSyy: vastaanottajan levykiintiö ei riitä tähän viestiin.\n\nÄlä vastaa tähän.",
    ),
    { status: "bounced", smtp_code: null, reason: "Syy: vastaanottajan levykiintiö ei riitä tähän viestiin." },
  ],
  [
    "a code behind a sign of Chinese",
    text(
      "From: MAILER-DAEMON@far.example\nSubject: =?utf-8?B?6YCA5L+h?=\nContent-Type: text/plain; charset=utf-8",
      "收件人 ada@elsewhere.example\n对方服务器返回：554 邮件被判定为垃圾邮件",
    ),
    { status: "bounced", smtp_code: 554, reason: containing("垃圾邮件") },
  ],
  [
    "the cause in the line below its name",
    text(
      "From: MAILER-DAEMON@far.example\nSubject: Retour",
      "Uw bericht aan ada@elsewhere.example is teruggestuurd.\n\nReden:\n\nHet postvak wordt verhuisd naar een andere server.",
    ),
    { status: "bounced", smtp_code: null, reason: "Het postvak wordt verhuisd naar een andere server." },
  ],
  [
    "the words of the server in a field of another name",
    dsn([{ recipient: to, status: "5.0.0\nX-Server-Response: smtp; 552 5.2.2 Postfach voll" }]),
    { status: "bounced", smtp_code: 552, enhanced_code: "5.2.2", reason: "552 5.2.2 Postfach voll" },
  ],
  [
    "a warning of a mail system, without a machine part",
    text(
      "From: MAILER-DAEMON@far.example\nSubject: Warning: could not send message for past 4 hours",
      "The message has not been delivered yet.\n<ada@elsewhere.example>... Deferred: 451 4.4.1 Connection timed out",
    ),
    { status: "sent", enhanced_code: "4.4.1", reason: containing("451 4.4.1 Connection timed out") },
  ],
  [
    "an alias: another address",
    dsn([{ recipient: "real-name@inner.example", status: "5.2.1", diagnostic: "550 5.2.1 disabled" }]),
    { status: "bounced", enhanced_code: "5.2.1" },
  ],
  [
    "a thousand recipients, of which the path names one",
    dsn(
      [
        ...Array.from({ length: 999 }, (_, i) => ({ recipient: `u${i}@elsewhere.example`, status: "5.7.1" })),
        { recipient: to, status: "5.1.1", diagnostic: "550 5.1.1 Unknown user" },
      ].toReversed(),
    ),
    { status: "bounced", smtp_code: 550, enhanced_code: "5.1.1" },
  ],
  [
    "a server that gave up, and says so behind the action",
    dsn([{ recipient: to, action: "failed (we waited five days)", status: "4.4.1", diagnostic: "No route" }]),
    { status: "bounced", enhanced_code: "4.4.1" },
  ],
  [
    "a nested report in the returned mail",
    dsn([{ recipient: to, action: "delayed", status: "4.2.2" }], {
      nested: dsn([{ recipient: to }]).replaceAll("edge", "rim"),
    }),
    { status: "sent", reason: containing("delayed: ") },
  ],
  [
    "cut off in its machine part",
    dsn([{ recipient: to, diagnostic: "550 5.1.1 Unknown user" }]).split("Diagnostic-Code")[0] ?? "",
    { status: "bounced", enhanced_code: "5.1.1" },
  ],
  [
    "words beside the address, without a code: Domino",
    text(
      "From: <>\nSubject: DELIVERY FAILURE: Benutzer nicht gefunden",
      "Your message\n\n  Subject: Hello\n\nwas not delivered to:\n\n  ada@elsewhere.example\n\nbecause:\n\n  Ada Lace (ada@elsewhere.example) steht nicht im Verzeichnis\n\nThe gateway of the far office wrote this.",
    ),
    { status: "bounced", smtp_code: null, reason: "Ada Lace (ada@elsewhere.example) steht nicht im Verzeichnis" },
  ],
  [
    "words above the address: GroupWise",
    text(
      "From: Mailer-Daemon@far.example\nSubject: Message status - undeliverable",
      "The message you sent did not arrive:\n\nElle n'a plus de boîte chez nous (user is not known)\nada@elsewhere.example\n\n---- Original ----\n",
    ),
    { status: "bounced", reason: "Elle n'a plus de boîte chez nous (user is not known)" },
  ],
  [
    "a greeting that ends in a colon above the words",
    text(
      "From: MAILER-DAEMON@far.example\nContent-Type: text/plain; charset=utf-8",
      "Votre courrier n'est pas arrivé chez :\n\tada@elsewhere.example (boîte fermée en mai)\n\nCopie du courrier",
    ),
    { status: "bounced", reason: "ada@elsewhere.example (boîte fermée en mai)" },
  ],
  [
    "a greeting that ends with the address, above the words and their label",
    text(
      "From: MAILER-DAEMON@far.example\nContent-Type: text/plain; charset=utf-8",
      "Nicht zugestellt wurde ein Brief an <ada@elsewhere.example>\nDer Dienst für Postfächer meldet:\n  Ada nimmt heute nichts mehr an",
    ),
    { status: "bounced", reason: "Ada nimmt heute nichts mehr an" },
  ],
  [
    "a greeting above a line with a code, in one paragraph",
    text(
      "From: MAILER-DAEMON@far.example",
      "The post office could not deliver a letter to ada@elsewhere.example.\n552 5.2.2 The drawer of Ada is full",
    ),
    { status: "bounced", smtp_code: 552, reason: "552 5.2.2 The drawer of Ada is full" },
  ],
  [
    "a greeting that blames a list",
    text(
      "From: MAILER-DAEMON@far.example",
      "The host of the author is on a blacklist; a letter to ada@elsewhere.example was refused:\nUser not known",
    ),
    {
      status: "bounced",
      reason: "The host of the author is on a blacklist; a letter to ada@elsewhere.example was refused: User not known",
    },
  ],
  [
    "a greeting that blames the sender in another language",
    text(
      "From: MAILER-DAEMON@far.example\nContent-Type: text/plain; charset=utf-8",
      "Serverfehler beim Absender, nicht zugestellt an ada@elsewhere.example\nUser not known",
    ),
    {
      status: "bounced",
      reason: "Serverfehler beim Absender, nicht zugestellt an ada@elsewhere.example User not known",
    },
  ],
  [
    "a line that ends with the address and says why",
    text("From: MAILER-DAEMON@far.example", "No person lives at ada@elsewhere.example\nThe post office of far"),
    { status: "bounced", reason: "No person lives at ada@elsewhere.example The post office of far" },
  ],
  [
    "a greeting that ends with the address, without other words",
    text(
      "From: MAILER-DAEMON@far.example",
      "Could not deliver a letter to ada@elsewhere.example\n\nThe post office of far",
    ),
    { status: "bounced", reason: "Could not deliver a letter to ada@elsewhere.example" },
  ],
  [
    "words on the line of the address: OpenSMTPD",
    text(
      "From: Mailer Daemon <MAILER-DAEMON@far.example>\nSubject: Delivery status notification: error",
      "    Hi!\n\n    An error has occurred for these recipients:\n\nada@elsewhere.example: Domain is gone\n\nReceived: from a.example\nSubject: 550 5.1.1 in the copy",
    ),
    { status: "bounced", smtp_code: null, enhanced_code: null, reason: "ada@elsewhere.example: Domain is gone" },
  ],
  [
    "no words in the machine part, but in the text",
    dsn([{ recipient: to, status: "5.0.0" }], { text: "Hello!\n\nada@elsewhere.example: 550 5.1.6 She has moved" }),
    {
      status: "bounced",
      smtp_code: 550,
      enhanced_code: "5.1.6",
      reason: "ada@elsewhere.example: 550 5.1.6 She has moved",
    },
  ],
  [
    "an exit code in the machine part, words in the text: Sendmail",
    dsn([{ recipient: to, status: "5.3.0" }], {
      text: "The following addresses had errors\n<ada@elsewhere.example>\n    (reason: 550 5.2.1 mail drop closed)",
    }).replace("Status: 5.3.0", "Status: 5.3.0\r\nDiagnostic-Code: X-Unix; 67"),
    { status: "bounced", smtp_code: 550, enhanced_code: "5.2.1", reason: containing("mail drop closed") },
  ],
  [
    "the code of the server that refused, not of the one that reports it",
    dsn([{ recipient: to, status: "5.1.0", diagnostic: "5.1.0 - Unknown address error 550-'5.2.2 No room for Ada'" }]),
    { status: "bounced", smtp_code: 550, enhanced_code: "5.2.2" },
  ],
  [
    "the machine part among the words",
    text(
      "From: MAILER-DAEMON@far.example\nContent-Type: text/plain",
      "Not delivered.\n\nAction: failed\nFinal-Recipient: rfc822; ada@elsewhere.example\nDiagnostic-Code: smtp; 550 5.1.1 <ada@elsewhere.example> geen postbus\nStatus: 5.0.0",
    ),
    {
      status: "bounced",
      smtp_code: 550,
      enhanced_code: "5.1.1",
      reason: "550 5.1.1 <ada@elsewhere.example> geen postbus",
    },
  ],
  [
    "a session, of which the last reply refuses",
    text(
      "From: MAILER-DAEMON\nSubject: failed",
      "Out: 220 mx.elsewhere.example\nIn:  MAIL FROM:<x@shop.example>\nOut: 250 2.1.0 Ok\nIn:  RCPT TO:<ada@elsewhere.example>\nOut: 553 5.1.3 No such form of address",
    ),
    { status: "bounced", smtp_code: 553, enhanced_code: "5.1.3", reason: "553 5.1.3 No such form of address" },
  ],
  [
    "Microsoft in Spanish, without a machine part",
    text(
      'From: postmaster@far.example\nSubject: No se puede entregar\nContent-Type: text/html; charset="utf-8"',
      "<p>No pudimos encontrar a ada@elsewhere.example.</p><p>Sugerencia: consulte DSN 5.1.0 en la ayuda.</p><p>ada@elsewhere.example<br>Remote Server returned '550 5.1.10 RESOLVER.ADR.RecipientNotFound'</p>",
    ),
    { status: "bounced", smtp_code: 550, enhanced_code: "5.1.10", reason: containing("RecipientNotFound") },
  ],
  [
    "the reply of a server, from an address of a person's form",
    text(
      "From: mms-gateway@carrier.example\nSubject: Re: Hello",
      "Fehler beim Senden\n\n550 - Teilnehmer unbekannt\n\nRCPT TO: ada@elsewhere.example",
    ),
    { status: "bounced", smtp_code: 550, reason: containing("Teilnehmer unbekannt") },
  ],
  [
    "the returned mail in a part, from an address of a person's form, without a code",
    text(
      'From: no-reply@carrier.example\nSubject: エラー\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="edge"',
      "--edge\nContent-Type: text/plain; charset=utf-8\n\n宛先のメールボックスが一杯です: ada@elsewhere.example\n\n--edge\nContent-Type: message/rfc822\n\nSubject: Hello\nTo: ada@elsewhere.example\n\nx\n--edge--",
    ),
    { status: "bounced", reason: "宛先のメールボックスが一杯です: ada@elsewhere.example" },
  ],
  [
    "given up after a temporary error, without a machine part",
    text(
      "From: MAILER-DAEMON@far.example\nSubject: failure notice",
      "<ada@elsewhere.example>:\nCannot reach the directory. (#4.4.3)\nI'm not going to try again; it has waited too long.",
    ),
    { status: "bounced", enhanced_code: "4.4.3" },
  ],
  [
    "a warning in German, without a code",
    text(
      "From: Mailer-Daemon@far.example\nSubject: Verzögerte Zustellung",
      "Ihre Nachricht wartet noch.\n\n  ada@elsewhere.example\n  Der Server antwortet nicht.",
    ),
    { status: "sent", reason: "delayed: Der Server antwortet nicht." },
  ],
  [
    "an absence note of the recipient that quotes the mail and names a number",
    text(
      "From: Ada <ADA@elsewhere.example>\nSubject: Away",
      "Call 550 1234 or write to ada@elsewhere.example.\n\nFrom: Desk <x@shop.example>\nTo: ada@elsewhere.example\nSubject: Hello",
    ),
    { status: "sent" },
  ],
  [
    "an absence note of another person",
    text("From: Bo <bo@elsewhere.example>\nSubject: Away", "550 days to go! Ada (ada@elsewhere.example) has left."),
    { status: "sent" },
  ],
  [
    "an absence note of another person that quotes the header of the mail",
    text(
      "From: Bo <bo@elsewhere.example>\nX-Autoreply: yes",
      "I read Ada's mail; I am away.\n\nFrom: x@shop.example\nTo: ada@elsewhere.example\nSubject: Hello",
    ),
    { status: "sent" },
  ],
  [
    "a gateway that quotes the header of the mail, without a code",
    text(
      "From: Gateway <sysadmin@carrier.example>",
      "Message could not be given to the phone.\n\nFrom: x@shop.example\nTo: ada@elsewhere.example\nSubject: Hello",
    ),
    { status: "bounced", reason: "Message could not be given to the phone." },
  ],
  [
    "a receipt that the mail was read",
    text(
      'From: ada@elsewhere.example\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=disposition-notification; boundary="edge"',
      "--edge\nContent-Type: text/plain\n\nRead.\n\n--edge\nContent-Type: message/disposition-notification\n\nFinal-Recipient: rfc822; ada@elsewhere.example\nDisposition: manual-action/MDN-sent-manually; displayed\n\n--edge--",
    ),
    { status: "sent" },
  ],
  [
    "a list that passes the mail on, as Sendmail explains it",
    dsn([{ recipient: to, action: "expanded (to multi-recipient alias)", status: "2.0.0" }], {
      text: `${to}... expanded to several addresses`,
    }),
    { status: "sent" },
  ],
  [
    "a warning that says what happens in the end",
    text(
      "From: Mailer-Daemon@relay.example\nSubject: Message delayed 48 hours",
      "Not yet delivered:\n\n  ada@elsewhere.example\n    host mx.elsewhere.example: 452 4.2.2 over quota, try later\n\nYou do not need to resend it. In three days the software will give up.",
    ),
    { status: "sent", smtp_code: 452, enhanced_code: "4.2.2", reason: containing("delayed: ") },
  ],
  [
    "a gateway that marks its refusal as an answer, in a table",
    text(
      "From: Filter <noreply@gate.example>\nAuto-Submitted: auto-replied\nContent-Type: text/html",
      "<table><tr><td>To</td><td>ada@elsewhere.example</td></tr><tr><td>Why</td><td>551 5.1.6 Ada has moved away</td></tr></table>",
    ),
    { status: "bounced", smtp_code: 551, enhanced_code: "5.1.6" },
  ],
  [
    "an absence note that quotes a code for someone else",
    text(
      "From: Ada <ada@elsewhere.example>\nAuto-Submitted: auto-replied",
      "I am away. Bob answers, but ada@elsewhere.example had this last week:\n550 5.1.1 unknown",
    ),
    { status: "sent" },
  ],
  [
    "an abuse report of Hotmail, which has no machine part",
    text(
      'From: <staff@hotmail.example>\nSubject: complaint about message from 192.0.2.7\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="edge"',
      "--edge\nContent-Type: message/rfc822\n\nX-HmXmrOriginalRecipient: ada@elsewhere.example\nSubject: Hello\n\nx\n--edge--",
    ),
    { status: "complained", reason: "abuse" },
  ],
  [
    "an abuse report whose fields have no part of their own",
    text("From: fbl@far.example", "Abuse report\n\nFeedback-Type: opt-out\nUser-Agent: Loop/2\nVersion: 0.1"),
    { status: "complained", reason: "opt-out" },
  ],
  ...[
    [
      "Subject: =?utf-8?Q?Verz=C3=B6gerte_Nachricht?=",
      "Der Brief an ada@elsewhere.example liegt hier seit vier Stunden.",
    ],
    [`Subject: =?utf-8?B?${Buffer.from("Envoi différé").toString("base64")}?=`, "Le relais garde la lettre pour Ada."],
    [`Subject: =?utf-8?B?${Buffer.from("Задержка").toString("base64")}?=`, "ada@elsewhere.example"],
    [
      "Subject: Zustellstatus",
      "Für ada@elsewhere.example konnte der Brief noch nicht zugestellt werden. Wir versuchen es bis Freitag.",
    ],
    ["Subject: Estado", "El correo a ada@elsewhere.example todavía no se ha entregado, y seguimos."],
    ["Subject: Stav", "Vaše zpráva dosud nebyla doručena, pokusy pokračují."],
    ["Subject: Status", "您给 ada@elsewhere.example 的来信还未投递，我们会再试。"],
    ["Subject: Status", "Your letter to ada@elsewhere.example is not yet delivered, and waits."],
  ].map(([headers = "", body = ""], n): [string, string, Expected] => [
    `a notice without a code that it comes later (${n + 1})`,
    text(
      `From: MAILER-DAEMON@far.example\nAuto-Submitted: auto-replied\nContent-Type: text/plain; charset=utf-8\n${headers}`,
      body,
    ),
    { status: "sent", reason: containing("delayed") },
  ]),
  [
    "a server that gave up, under a neutral subject in German",
    text(
      "From: MAILER-DAEMON@far.example\nContent-Type: text/plain; charset=utf-8\nSubject: Zustellstatus",
      "Der Brief an ada@elsewhere.example konnte nicht zugestellt werden.",
    ),
    { status: "bounced" },
  ],
  [
    "a mail that could not be delivered, in English",
    text(
      "From: MAILER-DAEMON@far.example\nSubject: Status",
      "The mail to ada@elsewhere.example could not be delivered.",
    ),
    { status: "bounced" },
  ],
  ["a report of a failed signature, by its older name", complaint("dkim-failure", true), { status: "sent" }],
  ["a report of a failed signature, which no person made", complaint("auth-failure", true), { status: "sent" }],
  [
    "a greeting before the reply that refuses",
    dsn([{ recipient: to, status: "5.0.0", diagnostic: "220-mx.elsewhere.example welcome 550 No Ada here" }]),
    { status: "bounced", smtp_code: 550, enhanced_code: "5.0.0" },
  ],
  [
    "an absence note",
    text("From: Ada <ada@elsewhere.example>\nAuto-Submitted: auto-replied", "I am on holiday."),
    { status: "sent" },
  ],
  [
    "an answer to a probe",
    dsn([{ recipient: to, action: "deliverable", status: "2.1.5", diagnostic: "250 2.1.5 Recipient ok" }]),
    { status: "sent" },
  ],
  [
    "recipients without empty lines between them",
    dsn([
      { recipient: "bo@elsewhere.example" },
      { recipient: to, status: "5.2.1", diagnostic: "550 5.2.1 Closed" },
    ]).replace("\r\n\r\nFinal-Recipient: rfc822; ada", "\r\nFinal-Recipient: rfc822; ada"),
    { status: "bounced", enhanced_code: "5.2.1", reason: "550 5.2.1 Closed" },
  ],
  [
    "a gateway that keeps the mail for its recipient",
    text(
      "From: Postmaster@far.example\nSubject: Waiting: Hello",
      "ada@elsewhere.example has your mail in quarantine.\nIt was quarantined and is released when Ada agrees.",
    ),
    { status: "sent", reason: containing("Queued") },
  ],
  [
    "a quarantine that also refused",
    text(
      "From: Postmaster@far.example\nSubject: Refused",
      "ada@elsewhere.example: 550 5.7.1 refused, and a copy is quarantined",
    ),
    { status: "bounced", enhanced_code: "5.7.1" },
  ],
  [
    "an abuse report in X-ARF",
    text(
      'From: soc@far.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="edge"',
      "--edge\nContent-Type: text/plain\n\nSee below.\n\n--edge\nContent-Type: text/plain; name=report.txt\n\nReported-From: soc@far.example\nReport-Type: phishing\nSource-Type: ipv4\n\n--edge--",
    ),
    { status: "complained", reason: "abuse" },
  ],
  [
    "a report in X-ARF about a login",
    text(
      'From: soc@far.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="edge"',
      '--edge\nContent-Type: application/json\n\n{"Version":"2","ReporterInfo":{},"Report":{"ReportType":"LoginAttack"}}\n--edge\nContent-Type: message/rfc822\n\nSubject: Hello\n\nx\n--edge--',
    ),
    { status: "sent", reason: containing("Queued") },
  ],
  [
    "words above the header of the returned mail, in Korean",
    text(
      "From: postmaster@far.example\nContent-Type: text/plain; charset=euc-kr\nContent-Transfer-Encoding: base64",
      "ud60wiC757b3IL/sxu3H1MDMIL/suK4guO26zr+hIL74vcC0z7TZCjxhZGFAZWxzZXdoZXJlLmV4YW1wbGU+CgpGcm9tOiBEZXNrIDx4QHNob3AuZXhhbXBsZT4KVG86IGFkYUBlbHNld2hlcmUuZXhhbXBsZQpTdWJqZWN0OiBIZWxsbwpNSU1FLVZlcnNpb246IDEuMAoKVGhpcyBpcyB0aGUgdGV4dCBvZiB0aGUgbWFpbC4K",
    ),
    { status: "bounced", reason: "받는 사람 우편함이 우리 명부에 없습니다" },
  ],
  ["an abuse report", complaint("abuse", true), { status: "complained", reason: "abuse" }],
  ["an abuse report without headers", complaint("abuse", false), { status: "complained", reason: "abuse" }],
  ["a report that it is no spam", complaint("not-spam", true), { status: "sent" }],
];

function containing(part: string) {
  return { asymmetricMatch: (value: unknown) => String(value).includes(part), toString: () => part };
}
