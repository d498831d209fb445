// Provides the STARTTLS certificate: the operator's, or a self-signed one that is generated in the data folder.
import { X509Certificate } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { generate } from "selfsigned";
import type { Settings } from "./env.ts";

const VALID_DAYS = 825;
const RENEW_BEFORE_DAYS = 30;
const DAY_MS = 86_400_000;
const PRIVATE_MODE = 0o600;

export type Certificate = { cert: string; key: string };

/** PEM text as it is (`\n` may be written out, as in a .env file); anything else is the path of a PEM file. */
async function readPem(setting: string): Promise<string> {
  return setting.includes("-----BEGIN") ? setting.replaceAll("\\n", "\n") : readFile(setting, "utf8");
}

/** The stored certificate, if it is for this host name and not about to expire. */
async function readKept(
  certPath: string,
  keyPath: string,
  hostname: string,
  now: Date,
): Promise<Certificate | undefined> {
  let kept: Certificate;
  let parsed: X509Certificate;
  try {
    kept = { cert: await readFile(certPath, "utf8"), key: await readFile(keyPath, "utf8") };
    parsed = new X509Certificate(kept.cert);
  } catch {
    return; // absent, or not a certificate: a new one replaces it
  }
  const end = Date.parse(parsed.validTo) - RENEW_BEFORE_DAYS * DAY_MS;
  return end > now.getTime() && parsed.subject.includes(`CN=${hostname}`) ? kept : undefined;
}

/** Written atomically, so that another process that starts at the same time never reads half a file. */
async function writePrivate(path: string, text: string): Promise<void> {
  const part = `${path}.${process.pid}`;
  await writeFile(part, text, { mode: PRIVATE_MODE });
  await rename(part, path);
}

async function makeCertificate(hostname: string, now: Date): Promise<Certificate> {
  const made = await generate([{ name: "commonName", value: hostname }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(now.getTime() - DAY_MS),
    notAfterDate: new Date(now.getTime() + VALID_DAYS * DAY_MS),
    extensions: [
      { name: "basicConstraints", cA: false },
      {
        name: "subjectAltName",
        altNames: [isIP(hostname) ? { type: 7, ip: hostname } : { type: 2, value: hostname }],
      },
    ],
  });
  return { cert: made.cert, key: made.private };
}

/**
 * SMTP_TLS_CERT and SMTP_TLS_KEY (PEM text or file paths) if set. Otherwise `smtp-cert.pem` and `smtp-key.pem` in
 * DATA_DIR, generated for SMTP_HOSTNAME if absent or within 30 days of expiry.
 * @throws if a given file cannot be read
 */
export async function loadCertificate(settings: Settings, now: Date): Promise<Certificate> {
  const { SMTP_TLS_CERT, SMTP_TLS_KEY, SMTP_HOSTNAME, DATA_DIR } = settings;
  if (SMTP_TLS_CERT && SMTP_TLS_KEY) return { cert: await readPem(SMTP_TLS_CERT), key: await readPem(SMTP_TLS_KEY) };
  const [certPath, keyPath] = [join(DATA_DIR, "smtp-cert.pem"), join(DATA_DIR, "smtp-key.pem")];
  const kept = await readKept(certPath, keyPath, SMTP_HOSTNAME, now);
  if (kept) return kept;
  const made = await makeCertificate(SMTP_HOSTNAME, now);
  await mkdir(DATA_DIR, { recursive: true });
  await writePrivate(keyPath, made.key);
  await writePrivate(certPath, made.cert);
  return made;
}

/**
 * Whether other mail servers can verify it by their authorities: not self-signed, valid now, and for SMTP_HOSTNAME. Whether
 * its authority is known to them is not checked.
 */
export function isVerifiable({ cert }: Pick<Certificate, "cert">, { SMTP_HOSTNAME }: Settings, now: Date): boolean {
  const parsed = new X509Certificate(cert);
  const isCurrent = Date.parse(parsed.validFrom) <= now.getTime() && now.getTime() < Date.parse(parsed.validTo);
  return isCurrent && parsed.issuer !== parsed.subject && parsed.checkHost(SMTP_HOSTNAME) !== undefined;
}
