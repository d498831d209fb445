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
    "an absence note",
    text("From: Ada <ada@elsewhere.example>\nAuto-Submitted: auto-replied", "I am on holiday."),
    { status: "sent" },
  ],
  ["an abuse report", complaint("abuse", true), { status: "complained", reason: "abuse" }],
  ["an abuse report without headers", complaint("abuse", false), { status: "complained", reason: "abuse" }],
  ["a report that it is no spam", complaint("not-spam", true), { status: "sent" }],
];

function containing(part: string) {
  return { asymmetricMatch: (value: unknown) => String(value).includes(part), toString: () => part };
}
