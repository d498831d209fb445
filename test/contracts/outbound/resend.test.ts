// OUTBOUND=resend: the contract with the real SDK against a double that enforces Resend's rules; then its own: errors, domains.
import addressParser from "nodemailer/lib/addressparser";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resendOutbound } from "#server/adapters/resend-outbound.ts";
import { type ResendDouble, type ResendEmail, startResendDouble } from "#test/support/resend-double.ts";
import { mailOf, outboundContract, type Taken } from "./contract.ts";

/** Long enough for a loaded machine, short enough to wait for. */
const TIMEOUT_MS = 2_000;

function takenOf(email: ResendEmail): Taken {
  const [from = { address: "", name: "" }] = addressParser(email.from, { flatten: true });
  const lists = [email.to, email.cc, email.reply_to].map((list) => addressParser(list.join(", "), { flatten: true }));
  const [to = [], cc = [], replyTo = []] = lists.map((list) => list.map(({ address = "" }) => address));
  return {
    envelopeTo: [...email.to, ...email.cc, ...email.bcc],
    headers: Object.fromEntries(Object.entries(email.headers).map(([key, value]) => [key.toLowerCase(), [value]])),
    from: { address: from.address ?? "", name: from.name },
    to,
    cc,
    replyTo,
    names: lists.flat().map(({ name }) => name),
    subject: email.subject,
    text: email.text ?? "",
    html: email.html ?? "",
    attachments: email.attachments.map(({ filename, content_type = "", content }) => {
      return { filename, contentType: content_type, content: Buffer.from(content, "base64") };
    }),
  };
}

outboundContract("resend", async () => {
  const double = await startResendDouble(["mail.example.com"]);
  return {
    outbound: resendOutbound({ apiKey: double.apiKey, baseUrl: double.url, timeoutMs: TIMEOUT_MS }),
    taken: async () => double.account.emails.map(takenOf),
    fail(how) {
      if (how === "refuse") double.faults.answer = { status: 422, name: "validation_error" };
      if (how === "busy") double.faults.answer = { status: 500, name: "internal_server_error" };
      if (how === "silent") double.faults.after = "hang";
    },
    recover: () => void Object.assign(double.faults, { answer: undefined, after: undefined }),
    close: double.close,
  };
});

let double: ResendDouble;
let outbound: ReturnType<typeof resendOutbound>;
beforeEach(async () => {
  double = await startResendDouble(["mail.example.com"]);
  outbound = resendOutbound({ apiKey: double.apiKey, baseUrl: `${double.url}/`, timeoutMs: TIMEOUT_MS });
});
afterEach(async () => {
  await outbound.close();
  await double.close();
});

describe("errors", () => {
  test.each([
    [400, "validation_error", "refused"],
    [401, "missing_api_key", "retry"],
    [403, "invalid_api_key", "retry"],
    [403, "validation_error", "refused"],
    [404, "not_found", "retry"],
    [409, "invalid_idempotent_request", "refused"],
    [409, "concurrent_idempotent_requests", "retry"],
    [422, "invalid_from_address", "refused"],
    [429, "rate_limit_exceeded", "retry"],
    [429, "daily_quota_exceeded", "retry"],
    [451, "security_error", "refused"],
    [500, "application_error", "retry"],
    [503, "internal_server_error", "retry"],
  ])("%i %s: %s", async (status, name, outcome) => {
    double.faults.answer = { status, name };
    expect(await outbound.send(mailOf())).toMatchObject({ outcome, error: expect.stringContaining(name) });
  });

  test("429 says how long to wait", async () => {
    double.faults.answer = { status: 429, name: "rate_limit_exceeded", retryAfter: "7" };
    expect(await outbound.send(mailOf())).toMatchObject({ outcome: "retry", retryAfterMs: 7000 });
    double.faults.answer.retryAfter = new Date(Date.now() + 3_600_000).toUTCString();
    const dated = await outbound.send(mailOf());
    expect("retryAfterMs" in dated && Math.round((dated.retryAfterMs ?? 0) / 60_000)).toBe(60);
  });

  test("a dropped connection: retry, and the repeat is one email", async () => {
    double.faults.after = "drop";
    expect(await outbound.send(mailOf())).toMatchObject({ outcome: "retry" });
    double.faults.after = undefined;
    expect(await outbound.send(mailOf())).toMatchObject({ outcome: "sent", providerMessageId: "e-0" });
    expect(double.account.emails).toHaveLength(1);
  });

  test("the same message twice concurrently: one is `retry`", async () => {
    double.faults.takesMs = 100;
    const outcomes = await Promise.all([outbound.send(mailOf()), outbound.send(mailOf())]);
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(["retry", "sent"]);
    expect(double.account.emails).toHaveLength(1);
  });

  test("another body under the same id is refused", async () => {
    await outbound.send(mailOf());
    expect(await outbound.send(mailOf({ text: "other" }))).toMatchObject({ outcome: "refused" });
  });

  test("a domain that is not verified is refused with the reason", async () => {
    double.account.domains = [{ id: "d-9", name: "mail.example.com", status: "not_started" }];
    expect(await outbound.send(mailOf())).toMatchObject({
      outcome: "refused",
      error: expect.stringContaining("not verified"),
    });
  });

  test("our message id is the idempotency key", async () => {
    await outbound.send(mailOf());
    expect(double.account.emails[0]?.idempotencyKey).toBe(mailOf().id);
  });
});

describe("sender identities", () => {
  test("a domain that is there is found, and left when its last mailbox goes", async () => {
    const opened = await outbound.identities?.open("mail.example.com");
    expect(opened).toEqual({ outcome: "done", ref: "found:d-0" });
    await outbound.identities?.close("mail.example.com", ["found:d-0"]);
    expect(double.account.domains.map(({ name }) => name)).toEqual(["mail.example.com"]);
  });

  test("a domain on a later page is found", async () => {
    const names = Array.from({ length: 250 }, (_, i) => `d${i}.example.com`);
    double.account.domains = names.map((name, i) => ({ id: `d-${i}`, name, status: "verified" }));
    expect(await outbound.identities?.open("d249.example.com")).toEqual({
      outcome: "done",
      ref: "found:d-249",
    });
  });

  test("a missing domain is created, and removed at the end", async () => {
    const opened = await outbound.identities?.open("new.example.com");
    expect(opened).toMatchObject({ outcome: "done", ref: expect.stringMatching(/^created:/) });
    const refs = opened?.outcome === "done" && opened.ref ? [opened.ref] : [];
    const names = () => double.account.domains.map(({ name }) => name);
    expect(names()).toContain("new.example.com");
    expect(await outbound.identities?.close("new.example.com", refs)).toMatchObject({ outcome: "done" });
    expect(names()).not.toContain("new.example.com");
    // Again, as after an answer that never came.
    expect(await outbound.identities?.close("new.example.com", refs)).toMatchObject({ outcome: "done" });
  });

  test("the records that sending needs are shown in full, without tracking", async () => {
    double.account.domains = [{ id: "d-1", name: "mail.example.com", status: "not_started" }];
    expect(await outbound.identities?.show("mail.example.com", "found:d-1")).toEqual({
      outcome: "done",
      status: "pending",
      isWaiting: true,
      detail: "not_started",
      records: [
        {
          purpose: "return_path_mx",
          type: "MX",
          name: "send.mail.example.com",
          value: "feedback-smtp.eu.provider.example",
          priority: 10,
        },
        {
          purpose: "return_path_spf",
          type: "TXT",
          name: "send.mail.example.com",
          value: "v=spf1 include:provider.example ~all",
          priority: null,
        },
        { purpose: "dkim", type: "TXT", name: "resend._domainkey.mail.example.com", value: "p=KEYd1", priority: null },
        {
          purpose: "dkim",
          type: "CNAME",
          name: "two._domainkey.mail.example.com",
          value: "two.dkim.provider.example",
          priority: null,
        },
      ],
    });
    expect(await outbound.identities?.show("mail.example.com", "found:d-2")).toEqual({ outcome: "gone" });
    expect(await outbound.identities?.show("other.example.com", "found:d-1")).toEqual({ outcome: "gone" });
  });

  test("two concurrent ones on a missing domain create one domain", async () => {
    const opened = await Promise.all([1, 2].map(() => outbound.identities?.open("new.example.com")));
    expect(opened.map((one) => one?.outcome)).toEqual(["done", "done"]);
    expect(double.account.domains.filter(({ name }) => name === "new.example.com")).toHaveLength(1);
  });

  test("a key for sending only leaves domains to the operator", async () => {
    double.account.restricted = true;
    expect(await outbound.identities?.open("mail.example.com")).toEqual({ outcome: "done", ref: null });
  });

  test("Resend away: retry; a name it does not take: refused", async () => {
    double.faults.answer = { status: 500, name: "internal_server_error" };
    expect(await outbound.identities?.open("new.example.com")).toMatchObject({ outcome: "retry" });
    double.faults.answer = undefined;
    expect(await outbound.identities?.open("localhost")).toMatchObject({ outcome: "refused" });
  });
});
