// Every sslmode against a PostgreSQL with a certificate for localhost, and against one without TLS.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "#db/client.ts";
import { migrate } from "#db/migrate.ts";
import { cleanUp } from "#test/support/embedded-fixture.ts";
import { type OwnServer, startOwnServer } from "#test/support/postgresql/server.ts";
import { TOLD, tellStory } from "#test/support/postgresql/story.ts";

const ONLY_TLS = "hostssl all all 127.0.0.1/32 scram-sha-256\n";

let withTls: OwnServer;
let without: OwnServer;
let folder: string;
let root: string;
let foreign: string;

async function certificate() {
  return generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mailberth-tls-"));
  const [own, other] = [await certificate(), await certificate()];
  [root, foreign] = [join(folder, "root.pem"), join(folder, "foreign.pem")];
  await writeFile(root, own.cert);
  await writeFile(foreign, other.cert);
  const settings = { ssl: "on", ssl_cert_file: "server.crt", ssl_key_file: "server.key" };
  const files = { "server.crt": own.cert, "server.key": own.private };
  [withTls, without] = await Promise.all([startOwnServer({ settings, files, hba: ONLY_TLS }), startOwnServer()]);
});
afterAll(async () => {
  await Promise.all([withTls?.stop(), without?.stop()]);
  await cleanUp();
  await rm(folder, { recursive: true, force: true });
});

function urlOf(server: OwnServer, query: string, host = "localhost"): string {
  return `${server.url.replace("127.0.0.1", host)}${query && `?${query}`}`;
}

/** Whether the connection is encrypted, or why there is none. */
async function outcomeOf(url: string): Promise<boolean | string> {
  const sql = connect(url, { max: 1, fetch_types: false });
  try {
    const [row] = await sql<{ ssl: boolean }[]>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    return row?.ssl ?? "no row";
  } catch (error) {
    return String((error as { code?: unknown }).code);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

describe("a server with TLS", () => {
  it.each<[query: string, host: string, expected: boolean | string]>([
    ["", "localhost", true],
    ["sslmode=disable", "localhost", "28000"],
    ["sslmode=allow", "localhost", true],
    ["sslmode=prefer", "localhost", true],
    ["sslmode=require", "127.0.0.1", true],
    ["sslmode=require&sslrootcert=ROOT", "127.0.0.1", true],
    ["sslmode=require&sslrootcert=FOREIGN", "127.0.0.1", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["sslmode=verify-ca&sslrootcert=ROOT", "127.0.0.1", true],
    ["sslmode=verify-ca&sslrootcert=FOREIGN", "localhost", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["sslmode=verify-ca", "localhost", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["sslmode=verify-full&sslrootcert=ROOT", "localhost", true],
    ["sslmode=verify-full&sslrootcert=ROOT", "127.0.0.1", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["sslmode=verify-full&sslrootcert=FOREIGN", "localhost", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["sslmode=verify-full", "localhost", "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ])("?%s at %s: %s", async (query, host, expected) => {
    const url = urlOf(withTls, query.replace("ROOT", root).replace("FOREIGN", foreign), host);
    expect(await outcomeOf(url)).toBe(expected);
  });

  it("carries the story with verify-full", async () => {
    const url = urlOf(withTls, `sslmode=verify-full&sslrootcert=${root}`);
    expect(await tellStory({ DATABASE_URL: url })).toEqual(TOLD);
  });
});

describe("a server without TLS", () => {
  it.each<[query: string, expected: boolean | string]>([
    ["", false],
    ["sslmode=disable", false],
    ["sslmode=allow", false],
    ["sslmode=prefer", false],
    ["sslmode=require", "TLS_REFUSED"],
    ["sslmode=verify-ca&sslrootcert=ROOT", "TLS_REFUSED"],
    ["sslmode=verify-full&sslrootcert=ROOT", "TLS_REFUSED"],
  ])("?%s: %s", async (query, expected) => {
    expect(await outcomeOf(urlOf(without, query.replace("ROOT", root)))).toBe(expected);
  });
});

describe("a start that fails says what to do", () => {
  it.each<[what: string, url: () => string, says: string]>([
    ["no TLS", () => urlOf(without, "sslmode=require"), "offers no TLS. Turn TLS on there, or set sslmode=prefer."],
    [
      "a foreign root",
      () => urlOf(withTls, `sslmode=verify-full&sslrootcert=${foreign}`),
      "is not trusted. Set sslrootcert to the file with its root certificate.",
    ],
    [
      "another host in the certificate",
      () => urlOf(withTls, `sslmode=verify-full&sslrootcert=${root}`, "127.0.0.1"),
      "is for another host. Use the host name in the certificate, or set sslmode=verify-ca.",
    ],
    [
      "no such file",
      () => urlOf(withTls, "sslmode=verify-ca&sslrootcert=/no/such.pem"),
      "/no/such.pem cannot be read.",
    ],
    [
      "a rule that refuses connections without TLS",
      () => urlOf(withTls, "sslmode=disable"),
      "Correct the user, or allow it in pg_hba.conf.",
    ],
    [
      "a parameter that PostgreSQL does not know",
      () => urlOf(without, "channel_binding=require"),
      'answered: unrecognized configuration parameter "channel_binding". Remove the parameter from DATABASE_URL.',
    ],
  ])("%s", async (_what, url, says) => {
    await expect(migrate({ url: url() })).rejects.toThrow(says);
  });
});
