// TLS on the way to a domain: the records of MTA-STS (RFC 8461) and of TLS reports (RFC 8460), and the policy that is served.
import { request } from "node:http";
import { generate } from "selfsigned";
import { afterAll, describe, expect, test } from "vitest";
import type { Failure } from "#test/support/api.ts";
import { recordOf, startDomains } from "./rig.ts";

const DAY_MS = 86_400_000;
const HOST = "mx.mail.example";

type Made = { cert: string; private: string };
const days = (from: number, to: number) => ({
  keyType: "ec" as const,
  algorithm: "sha256",
  notBeforeDate: new Date(Date.now() + from * DAY_MS),
  notAfterDate: new Date(Date.now() + to * DAY_MS),
});
const authority: Made = await generate([{ name: "commonName", value: "An authority" }], {
  ...days(-2, 900),
  extensions: [{ name: "basicConstraints", cA: true, critical: true }],
});

/** A certificate for `host`, of the authority unless it signs itself. */
const certificate = ({ host = HOST, to = 30, own = false } = {}): Promise<Made> =>
  generate([{ name: "commonName", value: host }], {
    ...days(-1, to),
    ...(!own && { ca: { key: authority.private, cert: authority.cert } }),
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: host }] }],
  });

async function start(made: Promise<Made>) {
  const { cert, private: key } = await made;
  const settings = {
    SMTP_TLS_CERT: cert,
    SMTP_TLS_KEY: key,
    PUBLIC_URL: "https://api.mail.example",
    TRUST_PROXY: "10.9.9.9",
  };
  const rig = await startDomains(settings);
  afterAll(rig.stop);
  return rig;
}

/** What a mail server gets that asks for the policy of a domain. */
function ask(url: string, { host, path = "", method = "GET" }: { host: string; path?: string; method?: string }) {
  return new Promise<{ status: number | undefined; type: string | undefined; text: string }>((resolve, reject) => {
    const asked = request(
      `${url}/.well-known/mta-sts.txt${path}`,
      { method, headers: { Host: host } },
      async (answer) => {
        let text = "";
        for await (const chunk of answer.setEncoding("utf8")) text += chunk;
        resolve({ status: answer.statusCode, type: answer.headers["content-type"], text });
      },
    );
    asked.on("error", reject).end();
  });
}

describe("with a certificate of an authority", async () => {
  const { service, own, verify, zone } = await start(certificate());
  const { agentKey: key } = await service.newOrganization();
  const domain = await own(key, "tls.example");

  test("the records are offered, found once published, and needed for nothing", async () => {
    const purposes = ["mta_sts", "mta_sts_policy", "tls_rpt"];
    const records = purposes.map((purpose) => recordOf(domain, purpose));
    expect(records.map(({ type, name, status }) => [type, name, status])).toEqual([
      ["TXT", "_mta-sts.tls.example", "found"],
      ["CNAME", "mta-sts.tls.example", "found"],
      ["TXT", "_smtp._tls.tls.example", "found"],
    ]);
    expect(records[1]?.value).toBe("api.mail.example");
    const kept = records.map(({ name }) => [name, zone[name]] as const);
    for (const [name] of kept) delete zone[name];
    const { body } = await verify(key, "tls.example");
    expect(purposes.map((purpose) => recordOf(body, purpose).status)).toEqual(["missing", "missing", "missing"]);
    expect([body.sending.status, body.receiving.status]).toEqual(["ready", "ready"]);
    for (const [name, records] of kept) zone[name] = records ?? {};
  });

  test.each([
    ["_smtp._tls.tls.example", "tls_rpt", ["v=TLSRPTv1; rua=https://reports.example/in"], "found"],
    ["_smtp._tls.tls.example", "tls_rpt", ["v=TLSRPTv1"], "mismatch"],
    [
      "_smtp._tls.tls.example",
      "tls_rpt",
      ["v=TLSRPTv1; rua=mailto:a@b.example", "v=TLSRPTv1; rua=mailto:c@b.example"],
      "mismatch",
    ],
    ["_mta-sts.tls.example", "mta_sts", ["v=STSv1; id=20200101"], "mismatch"],
    ["_mta-sts.tls.example", "mta_sts", ["something else"], "missing"],
  ])("%s of %s: %s is %s", async (name, purpose, texts, status) => {
    const before = zone[name] ?? {};
    zone[name] = { TXT: texts.map((text) => [text]) };
    expect(recordOf((await verify(key, "tls.example")).body, purpose)).toMatchObject({ status });
    zone[name] = before;
  });

  test("the policy of a hosted domain names the server of the MX record; Caddy asks the same", async () => {
    const { status, type, text } = await ask(service.url, { host: "MTA-STS.tls.example:443" });
    expect([status, type]).toEqual([200, "text/plain"]);
    expect(text).toMatch(/^version: STSv1\r\nmode: enforce\r\nmx: mx\.mail\.example\r\nmax_age: \d+\r\n$/);
    const path = "?domain=mta-sts.tls.example";
    expect((await ask(service.url, { host: "127.0.0.1", path })).text).toBe(text);
    expect(await ask(service.url, { host: "mta-sts.mail.example", method: "HEAD" })).toMatchObject({
      status: 200,
      text: "",
    });
  });

  test("strangers' domains, other hosts and other methods get none", async () => {
    for (const host of ["mta-sts.else.example", "tls.example", "mta-sts.", "mta-sts.%", "mta-sts.a@tls.example"]) {
      const { status, text } = await ask(service.url, {
        host: "x.example",
        path: `?domain=${encodeURIComponent(host)}`,
      });
      expect([host, status, (JSON.parse(text) as Failure).error?.code]).toEqual([host, 404, "not_found"]);
    }
    expect(await ask(service.url, { host: "mta-sts.tls.example", method: "POST" })).toMatchObject({ status: 405 });
  });
});

test.each([
  ["signs itself", { own: true }],
  ["is for another host", { host: "mail.example" }],
  ["has ended", { to: -0.5 }],
])("no policy with a certificate that %s, since no sender could deliver", async (_what, made) => {
  const rig = await start(certificate(made));
  expect(await ask(rig.service.url, { host: "mta-sts.mail.example" })).toMatchObject({ status: 404 });
});

test("without a certificate of the operator only reports are offered", async () => {
  const rig = await startDomains();
  afterAll(rig.stop);
  const { agentKey } = await rig.service.newOrganization();
  const { records } = await rig.claim(agentKey, "plain.example");
  const purposes = records.map(({ purpose }) => purpose);
  expect(purposes).toContain("tls_rpt");
  expect(purposes).not.toContain("mta_sts");
  expect(await ask(rig.service.url, { host: "mta-sts.mail.example" })).toMatchObject({ status: 404 });
});
