// What `doctor` finds out below HTTP: whether mail servers reach the SMTP port, and how long the TLS certificate is valid.
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { parseEnv } from "node:util";
import type { Environment } from "../session.ts";
import { type Check, failed, passed, skipped, warning } from "./checks.ts";

const NETWORK_MAX_MS = 10_000;
const GREETING_MAX_CHARS = 512;
const CERTIFICATE_WARNING_MS = 14 * 86_400_000;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|::1)$/;
const SMTP_PORT = 25;
/** The default of the setting SMTP_PORT. */
const LOCAL_SMTP_PORT = 2525;
/** Where a service on this machine has its settings. */
const SETTINGS_FILE = ".env";
const HTTPS_PORT = 443;

export type SmtpServer = { host: string; port: number };

/** Where mail servers connect: the given server, the SMTP_PORT of this machine and folder, or port 25 of the host of the URL. */
export function smtpServerOf(url: string, { SMTP_PORT: ownPort }: Environment, given?: SmtpServer): SmtpServer {
  if (given) return given;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (!LOOPBACK.test(host)) return { host, port: SMTP_PORT };
  const settings = existsSync(SETTINGS_FILE) ? parseEnv(readFileSync(SETTINGS_FILE, "utf8")) : {};
  return { host, port: Number(ownPort || settings.SMTP_PORT) || LOCAL_SMTP_PORT };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "AbortError" ? "no answer in time" : "code" in error ? String(error.code) : error.message;
}

export async function checkSmtp({ host, port }: SmtpServer, stop: AbortSignal): Promise<Check> {
  const at = `${host}:${port}`;
  const fix =
    "Check that the role smtp runs, that port 25 is forwarded to SMTP_PORT, and the firewall. With another host or port: --smtp <host:port>.";
  const socket = connect({ host, port });
  try {
    const greeting = await readGreeting(socket, AbortSignal.any([stop, AbortSignal.timeout(NETWORK_MAX_MS)]));
    if (greeting.startsWith("220")) return passed("smtp", `${at} greets: ${greeting}`);
    return failed("smtp", `${at} answers: ${greeting}`, fix);
  } catch (error) {
    return failed("smtp", `${at} cannot be reached: ${reasonOf(error)}.`, fix);
  } finally {
    socket.destroy();
  }
}

async function readGreeting(socket: Socket, signal: AbortSignal): Promise<string> {
  let text = "";
  socket.setEncoding("utf8");
  while (!text.includes("\n") && text.length < GREETING_MAX_CHARS) {
    const [chunk] = await Promise.race([once(socket, "data", { signal }), once(socket, "end", { signal })]);
    if (chunk === undefined) break;
    text += chunk;
  }
  return text.slice(0, GREETING_MAX_CHARS).split(/\r?\n/, 1)[0] ?? "";
}

export async function checkTls(url: string, stop: AbortSignal): Promise<Check> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol === "http:") {
    if (LOOPBACK.test(hostname)) return skipped("tls", "The service is on this machine, without TLS.");
    const fix = "Put a proxy with TLS before the service, and use its https URL.";
    return failed("tls", `${url} has no TLS: keys and mail travel readable.`, fix);
  }
  const host = hostname.replace(/^\[|\]$/g, "");
  const socket = connectTls({ host, port: Number(port) || HTTPS_PORT, servername: isIP(host) ? "" : host });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.any([stop, AbortSignal.timeout(NETWORK_MAX_MS)]) });
    const until = socket.getPeerCertificate().valid_to;
    const message = `The certificate is valid until ${until}.`;
    const isShort = Date.parse(until) - Date.now() < CERTIFICATE_WARNING_MS;
    return isShort ? warning("tls", message, "Renew the certificate.") : passed("tls", message);
  } catch (error) {
    return failed(
      "tls",
      `No TLS connection to ${host}: ${reasonOf(error)}.`,
      "Check the URL, and correct or renew the certificate.",
    );
  } finally {
    socket.destroy();
  }
}
