// How it becomes known what became of mail from a domain: what the API and `doctor` say of each relay.
import { expect, test } from "vitest";
import { commandIn, configFolder } from "#test/support/command.ts";
import { startDomains } from "./rig.ts";

const RELAY = { OUTBOUND: "smtp", OUTBOUND_SMTP_URL: "smtp://127.0.0.1:1" };
const POSTMARK = { OUTBOUND: "smtp", OUTBOUND_SMTP_URL: "smtp://x:y@smtp.postmarkapp.com:587" };
const SES = { ...RELAY, SES_TOPIC_ARNS: "arn:aws:sns:eu-west-1:123456789012:mail" };
const RESEND = { OUTBOUND: "resend", RESEND_API_KEY: "re_x", RESEND_BASE_URL: "http://127.0.0.1:1" };

type Outcomes = { by: string[]; reason: string | null };

test.each<[string, Record<string, string>, string[], RegExp | null, string]>([
  ["without a provider", {}, ["local"], null, "ok"],
  ["a relay that keeps the return path", RELAY, ["return_path"], null, "ok"],
  ["SES with its topic", SES, ["ses", "return_path"], null, "ok"],
  ["Postmark without its secret", POSTMARK, [], /set POSTMARK_WEBHOOK_SECRET/, "warning"],
  ["Postmark with it", { ...POSTMARK, POSTMARK_WEBHOOK_SECRET: "0123456789abcdef" }, ["postmark"], null, "ok"],
])("%s", async (_, environment, by, reason, status) => {
  const rig = await startDomains(environment);
  const { agentKey: key } = await rig.service.newOrganization();
  await rig.own(key, "acme.example");
  const { outcomes } = (await rig.client.get<{ outcomes: Outcomes }>(rig.path("acme.example"), { key })).body;
  expect(outcomes).toEqual({ by, reason: reason === null ? null : expect.stringMatching(reason) });
  const folder = await configFolder();
  const own = { MAILBERTH_URL: rig.service.url, MAILBERTH_KEY: key };
  const { stdout } = await commandIn(folder.path, own).run(["doctor"]);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; message: string }[] };
  const check = checks.find(({ name }) => name === "domain acme.example");
  expect(check).toMatchObject({ status, message: expect.stringMatching(reason ?? /outcomes by /) });
  await folder.remove();
  await rig.stop();
});

test("nothing is reported before the records of the return path are found, or without the secret of Resend", async () => {
  for (const [environment, reason] of [
    [RELAY, "return path"],
    [RESEND, "RESEND_WEBHOOK_SECRET"],
  ] as const) {
    const rig = await startDomains(environment);
    const { agentKey: key } = await rig.service.newOrganization();
    const { outcomes } = (await rig.claim(key, "acme.example")) as unknown as { outcomes: Outcomes };
    expect(outcomes).toEqual({ by: [], reason: expect.stringContaining(reason) });
    await rig.stop();
  }
});
