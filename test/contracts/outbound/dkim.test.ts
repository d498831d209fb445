// DKIM signatures of mail that leaves by SMTP: another implementation verifies each.
import { generateKeyPairSync } from "node:crypto";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { smtpOutbound } from "#server/adapters/smtp-outbound.ts";
import type { OutboundMail } from "#server/base/ports/outbound.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { mailOf } from "./contract.ts";

const LARGE = 200 * 1024;
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
const resolver = async () => [[record]] as never;

const sink = await startSmtpSink();
const options = {
  url: sink.url,
  hostname: "mail.example.com",
  signingKey: async (domainName: string) => ({ domainName, keySelector: "s1", privateKey }),
};
const outbound = smtpOutbound(options);
const replacing = smtpOutbound({ ...options, replacesIdentity: true });
afterAll(async () => {
  await Promise.all([outbound.close(), replacing.close()]);
  await sink.close();
});
beforeEach(() => {
  sink.received.length = 0;
});

async function verify(raw: Buffer | undefined) {
  const { results } = await dkimVerify(raw ?? "", { resolver });
  return results.map(({ signingDomain, selector, status }) => [signingDomain, selector, status.result]);
}

const file = (bytes: number) => ({
  filename: "a.bin",
  contentType: "application/octet-stream",
  content: Buffer.alloc(bytes, 7),
});
const MAILS: Record<string, Partial<OutboundMail>> = {
  "a short text": { text: "Hello" },
  "lines that end in spaces and tabs, and empty lines at the end": {
    text: " a \t b  \r\n\t\r\n \r\n..\r\n.\r\n\r\n \r\n\r\n",
  },
  "a text of spaces only": { text: "   " },
  "text and HTML": { text: "Hello", html: "<p>Hello</p>" },
  "other scripts in subject and body": { subject: "Grüße  aus 東京 ".repeat(8), text: "日本語\u00a0\nГрüße" },
  "many recipients, whose header is folded": {
    cc: Array.from({ length: 40 }, (_, n) => `person-${n}@elsewhere.example`),
  },
  "an attachment": { attachments: [file(5_000)] },
  "a large attachment": { attachments: [file(LARGE)] },
  "a long text without a space": { text: "x".repeat(5_000) },
  "many empty lines": { text: `a${"\r\n".repeat(20_000)}b` },
};

describe("another implementation verifies", () => {
  test.each(Object.entries(MAILS))("%s", async (_, mail) => {
    expect(await outbound.send(mailOf(mail))).toMatchObject({ outcome: "sent" });
    expect(await verify(sink.received[0]?.raw)).toEqual([["mail.example.com", "s1", "pass"]]);
  });

  test("the same bytes go to each recipient", async () => {
    const envelopes = ["a", "b"].map((name) => ({
      from: `bounce+${name}@mail.example.com`,
      to: `${name}@elsewhere.example`,
    }));
    const to = envelopes.map((envelope) => envelope.to);
    expect(await outbound.send(mailOf({ to, envelopes }))).toMatchObject({ outcome: "sent" });
    const [first, second] = sink.received;
    expect(await verify(first?.raw)).toEqual([["mail.example.com", "s1", "pass"]]);
    expect(second?.raw.equals(first?.raw ?? Buffer.alloc(0))).toBe(true);
  });

  test("and not what was changed on the way", async () => {
    await outbound.send(mailOf({ text: "Pay 10" }));
    const changed = sink.received[0]?.raw.toString("latin1").replace("Pay 10", "Pay 99") ?? "";
    expect((await verify(Buffer.from(changed, "latin1")))[0]?.[2]).not.toBe("pass");
  });

  test.each(["a short text", "a large attachment"])(
    "%s whose Message-ID and Date the relay wrote itself",
    async (name) => {
      await replacing.send(mailOf(MAILS[name]));
      const left = sink.received[0]?.raw.toString("latin1") ?? "";
      const changed = left
        .replace(/^Message-ID: .*$/im, "Message-ID: <0102-000000@relay.example>")
        .replace(/^Date: .*$/im, "Date: Mon, 02 Mar 2026 10:00:00 +0000");
      expect(changed).not.toBe(left);
      expect(await verify(Buffer.from(changed, "latin1"))).toEqual([["mail.example.com", "s1", "pass"]]);
    },
  );
});
