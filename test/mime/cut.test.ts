// Mails that end anywhere: each can be read, and says so where a file is not whole.
import { expect, test } from "vitest";
import { readMail } from "#server/mime/read.ts";
import { changedMails, mails } from "./mails.ts";

const base64 = (text: string) => Buffer.from(text, "latin1").toString("base64");
const UU = "See the file.\r\nbegin 644 a.txt\r\n#0V%T\r\n`\r\nend\r\nBye.\r\n";
const YENC = "See the file.\r\n=ybegin line=128 size=3 name=a.bin\r\n\x8b\x8c\x8d\r\n=yend size=3\r\nBye.\r\n";
const KINDS = [
  ...mails(10, 11),
  ...changedMails(10, 11),
  `From: mia@letters.example\r\n\r\n${UU}`,
  `From: mia@letters.example\r\n\r\n${YENC}`,
  `Content-Type: application/ms-tnef\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64('x\x9f>"\x01\0\x01\x0c\x80\x02\0\x06\0\0\0words\0\0\0')}`,
  `Content-Type: application/pkcs7-mime\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64("0\x80\x06\x09*\x86H\x86\xf7\r\x01\x07\x02\xa0\x800\x80")}`,
];

test.each(KINDS.map((mail) => ({ mail })))("mail %# is read wherever it is cut", ({ mail }) => {
  const raw = Buffer.from(mail, "latin1");
  for (let end = 0; end <= raw.length; end += 1) {
    const { texts, files } = readMail(raw.subarray(0, end));
    // Nothing that is read is longer than the mail, but for characters of several octets.
    const size = [...texts.map(({ value }) => value.length), ...files.map(({ octets }) => octets.length)];
    expect(size.reduce((all, each) => all + each, 0)).toBeLessThanOrEqual(end + 1 + texts.length);
  }
});
