// DNS that does not answer delays the verdict on a sender, and not the code that the mail brings.
import { afterAll, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { startDnsServer } from "#test/support/dns-server.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { mailboxThatWaits } from "./waiter.ts";

const dns = await startDnsServer({
  "silent.example": { fails: "ETIMEOUT" },
  "_dmarc.silent.example": { fails: "ETIMEOUT" },
  "quiet.example": { fails: "ETIMEOUT" },
});
const service = await startTestService({ DNS_SERVERS: dns.address });
const client = api(service);
afterAll(() => client.close().then(service.stop).then(dns.close));

/** On a machine that is busy for seconds, the verdict of a mail may come first. */
const TRIES = 5;

test("a wait has the code before the verdict, and the verdict follows", async () => {
  const { wait, mail, key } = await mailboxThatWaits(service, client);
  const first = async (left = TRIES): Promise<Awaited<ReturnType<typeof wait>>> => {
    const waiting = wait({ timeout_seconds: 30 });
    await mail("Sign in", { from: "no-reply@silent.example", text: "Your verification code is 481 207.\n" });
    const answer = await waiting;
    return answer.message?.authentication === null || left === 1 ? answer : first(left - 1);
  };
  const answer = await first();
  expect(answer).toMatchObject({
    timed_out: false,
    message: {
      status: "parsed",
      authentication: null,
      security: { risk: "medium", first_contact: expect.any(Boolean) },
    },
    extracted: { otp: "481207" },
  });
  const { id = "", text, attachments } = answer.message ?? {};
  await eventually(async () => {
    const { body } = await client.get<NonNullable<(typeof answer)["message"]>>(`/v1/messages/${id}`, { key });
    expect(body).toMatchObject({
      status: "parsed",
      text,
      attachments,
      authentication: { spf: "temperror", dkim: "none" },
    });
  });
});

test("a verification does not call a sender unverified before it is known", async () => {
  const { agentKey: key } = await service.newOrganization();
  type Code = { otp: string | null; sender_verified: boolean | null };
  const first = async (left = TRIES): Promise<{ path: string; body: Code }> => {
    const { body: made } = await client.post<{ address: string; wait_url: string }>("/v1/verifications", {}, { key });
    const path = new URL(made.wait_url).pathname;
    const waiting = client.get<Code>(`${path}?timeout_seconds=30`);
    const text = "Your verification code is 662 918.\n";
    await service.mail({ from: "no-reply@quiet.example", to: made.address, subject: "Sign in", text });
    const { body } = await waiting;
    return body.sender_verified === null || left === 1 ? { path, body } : first(left - 1);
  };
  const { path, body } = await first();
  expect(body).toMatchObject({ otp: "662918", sender_verified: null });
  await eventually(async () => {
    const again = await client.get<Code>(path);
    expect(again.body).toMatchObject({ otp: "662918", sender_verified: false });
  });
});
