// Mail as a real sender makes it: signed, sealed, with the zone that its keys and policies are found in.
import { generateKeyPairSync } from "node:crypto";
import { sealMessage } from "mailauth/lib/arc/index.js";
import { dkimSign } from "mailauth/lib/dkim/sign.js";
import type { Authentication } from "#db/message-parts.ts";
import type { Dns } from "#server/base/ports/dns.ts";
import { authenticate } from "#server/receiving/authentication/authenticate.ts";
import type { InboundMail } from "#server/receiving/authentication/verdict.ts";
import { type Zone, zoneDns } from "#test/support/zone.ts";

const RSA_BITS = 2_048;

export const HOSTNAME = "mx.receiver.example";
export const SENDER_IP = "192.0.2.10";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: RSA_BITS });
export const PRIVATE_KEY = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
/** A key record for PRIVATE_KEY. */
export const KEY = {
  TXT: [[`v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`]],
};

export const spfRecord = (ip = SENDER_IP) => ({ TXT: [[`v=spf1 ip4:${ip} -all`]] });
export const policy = (tags: string) => ({ TXT: [[`v=DMARC1; ${tags}`]] });

/** Domain example.com signs with the selector `s`, sends from SENDER_IP, and wants what fails rejected. */
export const ZONE: Zone = {
  "example.com": spfRecord(),
  "s._domainkey.example.com": KEY,
  "_dmarc.example.com": policy("p=reject"),
};

export const PLAIN = [
  "From: Ada <ada@example.com>",
  "To: agent@receiver.example",
  "Subject: Your code",
  "Date: Fri, 20 Nov 2026 09:30:00 +0000",
  "Message-ID: <first@example.com>",
  "",
  "Your code is 123456.",
  "",
].join("\r\n");

type SignOptions = { domain?: string; selector?: string; maxBodyLength?: number; canonicalization?: string };

/** `text` with one DKIM-Signature before it. */
export async function signed(text = PLAIN, options: SignOptions = {}): Promise<string> {
  const { domain = "example.com", selector = "s", ...rest } = options;
  const { signatures, errors } = await dkimSign(text, {
    signatureData: [{ signingDomain: domain, selector, privateKey: PRIVATE_KEY, ...rest }],
    ...rest,
  } as unknown as Parameters<typeof dkimSign>[1]);
  if (errors?.length) throw new Error(JSON.stringify(errors));
  return signatures + text;
}

/** `text` as a list or forwarder hands it on: with one ARC set before it. */
export async function sealed(text: string, set: { i: number; cv: string; domain?: string }): Promise<string> {
  const seal = await sealMessage(text, {
    signingDomain: set.domain ?? "list.example",
    selector: "a",
    privateKey: PRIVATE_KEY,
    cv: set.cv,
    i: set.i,
    authResults: "list.example; spf=pass smtp.mailfrom=example.com; dkim=pass header.d=example.com",
  });
  return seal.toString() + text;
}

/** Judges `text` as it came from SENDER_IP with ada@example.com in its envelope. */
export async function judge(
  text: string,
  zone: Zone | Dns = ZONE,
  change: Partial<InboundMail> = {},
): Promise<Authentication> {
  const dns = typeof zone.resolve === "function" ? (zone as Dns) : zoneDns(zone as Zone);
  const mail = {
    raw: Buffer.from(text),
    remoteIp: SENDER_IP,
    helo: "mail.example.com",
    envelopeFrom: "ada@example.com",
    from: "ada@example.com",
    ...change,
  };
  return (await authenticate(mail, dns, { hostname: HOSTNAME })).authentication;
}

export const STRANGER = { remoteIp: "198.51.100.66" };
/** So that only signatures speak for the mail. */
export const INSIDE = { remoteIp: null };
