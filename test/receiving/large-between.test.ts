// Mails of 25 MB between small ones: each is stored as it came, and the small ones are parsed.
import { afterAll, expect, test } from "vitest";
import { size } from "#test/sizes.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const SMALL = 12;
const LARGE = size("LARGE_MAILS_BETWEEN_SMALL");
/** SMTP_MAX_BYTES as it is by default. */
const MAX_BYTES = 26_214_400;
const LINE = `${"A".repeat(76)}\r\n`;

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

function largeMail(to: string, subject: string): string {
  const head =
    `From: a@else.example\r\nTo: ${to}\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\n` +
    'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n--b\r\n' +
    "Content-Type: application/zip; name=a.zip\r\nContent-Disposition: attachment; filename=a.zip\r\n" +
    "Content-Transfer-Encoding: base64\r\n\r\n";
  const end = "--b--\r\n";
  return head + LINE.repeat(Math.floor((MAX_BYTES - head.length - end.length) / LINE.length)) + end;
}

type Listed = { subject: string; status: string; attachments: { size: number }[] };

test(`${LARGE} between ${SMALL} small ones: all are parsed`, async () => {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  const from = "a@else.example";
  const small = Array.from({ length: SMALL }, (_, n) => ({
    from,
    to: address,
    subject: `small ${n}`,
    text: `mail ${n}`,
  }));
  const large = Array.from({ length: LARGE }, (_, n) => `large ${n}`);
  const sending = large.map((subject) => service.mail({ from, to: address, raw: largeMail(address, subject) }));
  for (const mail of small) await service.mail(mail);
  await Promise.all(sending);
  const all = await eventually(async () => {
    const { data } = (await client.get<Page<Listed>>(inboxPath(address, "/messages?limit=50"), { key })).body;
    expect(data.map(({ status }) => status)).toEqual(Array(SMALL + LARGE).fill("parsed"));
    return data;
  });
  expect(all.map(({ subject }) => subject).sort()).toEqual([...small.map(({ subject }) => subject), ...large].sort());
  const sizes = await service.system.sql<{ size: number }[]>`
    select length(bytes) as size from raw_messages order by length(bytes) desc limit ${LARGE}`;
  for (const { size } of sizes) expect(size).toBeGreaterThan(MAX_BYTES - 1_024);
});
