// With DKIM_DOMAIN, DKIM_SELECTOR and DKIM_PRIVATE_KEY, mail to a relay carries a signature that receivers can verify.
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { expect, onTestFinished, test } from "vitest";
import { transmitQueued } from "#server/messages/outbound/transmit.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { startRig } from "./transmit-rig.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const PEM = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const PUBLISHED = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;

/** Sends one mail by a relay, and gives what the relay was handed. */
async function sendSigned(key: string): Promise<Buffer> {
  const sink = await startSmtpSink();
  onTestFinished(sink.close);
  const settings = { DKIM_DOMAIN: "mail.example.com", DKIM_SELECTOR: "s1", DKIM_PRIVATE_KEY: key };
  const rig = await startRig({ OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url, ...settings });
  onTestFinished(rig.close);
  await rig.send((await rig.inbox("desk")).address);
  expect(await transmitQueued(rig.system)).toBe(1);
  return Buffer.from(sink.received[0]?.raw ?? "");
}

async function folderWithKey(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-dkim-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "key.pem");
  writeFileSync(file, PEM);
  return file;
}

test.each([
  ["as text", async () => PEM],
  ["as the path of a file", folderWithKey],
])("the key is given %s", async (_, key) => {
  const raw = await sendSigned(await key());
  const asked: string[] = [];
  const { results } = await dkimVerify(raw, {
    resolver: async (name: string) => {
      asked.push(name);
      return [[PUBLISHED]];
    },
  });
  expect(asked).toEqual(["s1._domainkey.mail.example.com"]);
  expect(results.map(({ status, signingDomain }) => [status.result, signingDomain])).toEqual([
    ["pass", "mail.example.com"],
  ]);
});
