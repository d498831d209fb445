// The ARC test suite of ValiMail, chain validation, through `authenticate`.
import { authenticate } from "#server/receiving/authentication/authenticate.ts";
import { type Zone, zoneDns } from "#test/support/zone.ts";
import { runSuite, type Scenario } from "./suite.ts";

type Vector = { message: string | null; cv: string | null };
type WithKeys = Scenario<Vector> & { "txt-records"?: Record<string, string> | "" };

function zoneOf({ "txt-records": records }: WithKeys): Zone {
  const strings = (text: string) => [text.split("\n").filter(Boolean)];
  return Object.fromEntries(Object.entries(records || {}).map(([name, text]) => [name, { TXT: strings(text) }]));
}

runSuite<Vector, WithKeys>({
  name: "ARC suite",
  file: "arc/arc-draft-validation-tests.yml",
  vectors: 170,
  // No cv: the newest seal says cv=fail, and the chain has failed with it (RFC 8617 §5.2).
  expected: ({ cv }) => [(cv || "fail").toLowerCase()],
  async judge({ message }, scenario) {
    const raw = Buffer.from((message ?? "").replace(/\r?\n/g, "\r\n"));
    const mail = { raw, remoteIp: null, helo: null, envelopeFrom: "", from: "jqd@d1.example.org" };
    return (await authenticate(mail, zoneDns(zoneOf(scenario)), { hostname: "receiver.example.com" })).authentication
      .arc;
  },
  skipped: {},
  deviations: {
    ams_fields_a_sha1: { result: "fail", why: "RFC 8617 §4.1.2 and RFC 8301 §3.1 leave no signature with SHA-1" },
    as_fields_a_sha1: { result: "fail", why: "RFC 8617 §4.1.3 and RFC 8301 §3.1 leave no seal with SHA-1" },
    ams_fields_h_empty: { result: "fail", why: "RFC 6376 §3.5: h= must not be empty; it would sign no From" },
  },
});
