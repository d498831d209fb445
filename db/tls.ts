// Turns the TLS mode of a database URL into the options of the driver.
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { checkServerIdentity, getCACertificates, type PeerCertificate } from "node:tls";
import type { DatabaseUrl } from "./url.ts";

const SYSTEM_ROOTS = "system";

/**
 * `allow` encrypts where the server can, like `prefer`. `require` with `sslrootcert` checks as `verify-ca` does, as in libpq.
 * @throws Error if the file of `sslrootcert` cannot be read
 */
export function tlsOptions({ tls: { mode, rootCert }, hosts, socket }: DatabaseUrl) {
  if (socket || mode === "disable") return false;
  if (mode === "allow" || mode === "prefer") return "prefer";
  if (mode === "require" && !rootCert) return "require";
  return {
    ca: rootCert === undefined ? undefined : rootsIn(rootCert),
    rejectUnauthorized: true,
    checkServerIdentity:
      mode === "verify-full"
        ? (name: string, certificate: PeerCertificate) => checkHost(hosts, name, certificate)
        : () => undefined,
  };
}

function rootsIn(file: string): string | string[] {
  if (file === SYSTEM_ROOTS) return getCACertificates(SYSTEM_ROOTS);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`sslrootcert: ${file} cannot be read. Correct the path, or grant access to the file.`, {
      cause: error,
    });
  }
}

/** Node passes no address when a host is one: then the certificate must be for one of the addresses in the URL. */
function checkHost(hosts: DatabaseUrl["hosts"], name: string, certificate: PeerCertificate): Error | undefined {
  const names = hosts.map(({ host }) => host);
  const candidates = names.includes(name) ? [name] : names.filter((host) => isIP(host) !== 0);
  const problems = candidates.map((host) => checkServerIdentity(host, certificate));
  return problems.includes(undefined) ? undefined : (problems[0] ?? checkServerIdentity(name, certificate));
}
