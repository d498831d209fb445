// OUTBOUND=smtp: the contract against a relay on loopback; then its own: answers per recipient, silence, DKIM.
import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isSesHost, smtpOutbound } from "#server/adapters/smtp-outbound.ts";
import { decodeWords } from "#server/mime/words.ts";
import { type SmtpSink, startSmtpSink } from "#test/support/smtp-sink.ts";
import { mailOf, outboundContract, readTaken } from "./contract.ts";

const unsigned = async () => undefined;

const hostname = "mail.example.com";
/** Long enough for a loaded machine, short enough to wait for. */
const SHORT = "?socketTimeout=400&greetingTimeout=400";

outboundContract("smtp", async () => {
  const sink = await startSmtpSink();
  return {
    outbound: smtpOutbound({ url: sink.url + SHORT, hostname, signingKey: unsigned }),
    taken: () => Promise.all(sink.received.map(({ to, raw }) => readTaken(to, raw))),
    fail(how) {
      if (how === "refuse") sink.faults.data = { code: 554, text: "5.7.1 We do not like it" };
      if (how === "busy") sink.faults.data = { code: 451, text: "4.3.0 Come back later" };
      if (how === "silent") sink.faults.hang = "dot";
    },
    recover: () => void Object.assign(sink.faults, { data: undefined, hang: undefined }),
    close: sink.close,
  };
});

describe("the relay's answers", () => {
  let sink: SmtpSink;
  let outbound: ReturnType<typeof smtpOutbound>;
  beforeEach(async () => {
    sink = await startSmtpSink();
    outbound = smtpOutbound({ url: sink.url + SHORT, hostname, signingKey: unsigned });
  });
  afterEach(async () => {
    await outbound.close();
    await sink.close();
  });
  const to = ["good@elsewhere.example", "bad@elsewhere.example"];

  test("the envelope sender is the mailbox", async () => {
    await outbound.send(mailOf());
    expect(sink.received[0]?.from).toBe("support@mail.example.com");
  });

  test("some recipients refused: sent, with the answer for each", async () => {
    sink.faults.rcpt = (address) => (address.startsWith("bad") ? { code: 550, text: "5.1.1 Who?" } : undefined);
    expect(await outbound.send(mailOf({ to }))).toMatchObject({
      outcome: "sent",
      recipients: [
        { address: "good@elsewhere.example", outcome: "accepted", detail: expect.stringContaining("250") },
        { address: "bad@elsewhere.example", outcome: "refused", detail: expect.stringContaining("550 5.1.1 Who?") },
      ],
    });
    expect(sink.received[0]?.to).toEqual(["good@elsewhere.example"]);
  });

  test("all recipients refused: refused", async () => {
    sink.faults.rcpt = () => ({ code: 550, text: "5.1.1 Who?" });
    expect(await outbound.send(mailOf({ to }))).toMatchObject({
      outcome: "refused",
      recipients: to.map((address) => ({ address, outcome: "refused" })),
    });
  });

  test("all recipients refused, one only for now: retry", async () => {
    sink.faults.rcpt = (address) => ({ code: address.startsWith("bad") ? 550 : 450, text: "no" });
    expect(await outbound.send(mailOf({ to }))).toMatchObject({ outcome: "retry" });
  });

  test.each([
    [421, "retry"],
    [452, "retry"],
    [503, "retry"],
    [550, "refused"],
    [553, "refused"],
  ])("%i to MAIL FROM: %s", async (code, outcome) => {
    sink.faults.mail = { code, text: "because" };
    expect(await outbound.send(mailOf())).toMatchObject({ outcome, error: expect.stringContaining(String(code)) });
  });

  test.each([
    ["hang", "connect", undefined],
    ["drop", "connect", undefined],
    ["hang", "dot", true],
    ["drop", "dot", true],
  ] as const)("%s at %s: retry, labelled when the message may have left", async (fault, where, mayHaveLeft) => {
    sink.faults[fault] = where;
    const outcome = await outbound.send(mailOf());
    expect(outcome).toMatchObject({ outcome: "retry" });
    expect("mayHaveLeft" in outcome ? outcome.mayHaveLeft : undefined).toBe(mayHaveLeft);
    sink.faults[fault] = undefined;
    expect(await outbound.send(mailOf())).toMatchObject({ outcome: "sent" });
  });

  test("connection refused: retry", async () => {
    await sink.close();
    expect(await outbound.send(mailOf())).toMatchObject({ outcome: "retry" });
    sink = await startSmtpSink();
  });

  test("connections are kept and shared", async () => {
    for (let i = 0; i < 50; i++) await outbound.send(mailOf({ messageId: `m${i}@mail.example.com` }));
    expect(sink.counts).toEqual({ mails: 50, connections: 1 });
  });

  test("a pooled connection that the relay closed costs nothing", async () => {
    await outbound.send(mailOf());
    sink.dropAll();
    expect(await outbound.send(mailOf({ messageId: "second@mail.example.com" }))).toMatchObject({ outcome: "sent" });
    expect(sink.received).toHaveLength(2);
  });

  test("after close, a send is for later", async () => {
    await outbound.close();
    expect(await outbound.send(mailOf())).toMatchObject({ outcome: "retry" });
  });
});

describe("addresses with letters outside ASCII", () => {
  const GREEK = "δοκιμή@xn--hxajbheg2az3al.example";
  const envelopes = (to: string[]) => to.map((each, i) => ({ from: `b+${i}@bounce.mail.example.com`, to: each }));
  async function through(smtpUtf8: boolean, change: Parameters<typeof mailOf>[0]) {
    const sink = await startSmtpSink({ smtpUtf8 });
    const outbound = smtpOutbound({ url: sink.url, hostname, signingKey: unsigned });
    const outcome = await outbound.send(mailOf(change));
    await outbound.close();
    await sink.close();
    return { outcome, received: sink.received };
  }

  test.each([
    ["small", "x"],
    ["large", "A line of a large message.\n".repeat(8_000)],
  ])("go to a relay that offers SMTPUTF8: a %s message", async (_size, text) => {
    const { outcome, received } = await through(true, { text, to: [GREEK], envelopes: envelopes([GREEK]) });
    expect(outcome).toMatchObject({ outcome: "sent", recipients: [{ address: GREEK, outcome: "accepted" }] });
    expect(received).toMatchObject([{ to: ["δοκιμή@παράδειγμα.example"], isSmtpUtf8: true }]);
    expect(received[0]?.raw.toString()).toContain("\r\nTo: δοκιμή@παράδειγμα.example\r\n");
  });

  test("are refused where the relay does not offer it, and the others get a header in ASCII that names them", async () => {
    const to = ["ada@elsewhere.example", GREEK, "bob@elsewhere.example"];
    const { outcome, received } = await through(false, { to, envelopes: envelopes(to) });
    expect(outcome).toMatchObject({
      outcome: "sent",
      recipients: [
        { address: to[0], outcome: "accepted" },
        { address: GREEK, outcome: "rejected", detail: expect.stringMatching(/^553 5\.6\.7 .*SMTPUTF8/) },
        { address: to[2], outcome: "accepted" },
      ],
    });
    expect(received.map((mail) => mail.to)).toEqual([[to[0]], [to[2]]]);
    for (const { raw, isSmtpUtf8 } of received) {
      expect(isSmtpUtf8).toBe(false);
      expect(/[^\0-\x7f]/.test(raw.toString("latin1"))).toBe(false);
      const shown = `ada@elsewhere.example, Internationalized address ${GREEK} removed :;, bob@elsewhere.example`;
      expect(decodeWords(raw.toString().replace(/\r\n /g, " "))).toContain(`To: ${shown}\r\n`);
    }
  });

  test("alone are refused for good where the relay does not offer it", async () => {
    const { outcome, received } = await through(false, { to: [GREEK] });
    expect(outcome).toMatchObject({ outcome: "refused", error: expect.stringContaining("SMTPUTF8") });
    expect(received).toEqual([]);
  });

  test("in the domain only need no SMTPUTF8", async () => {
    const { outcome, received } = await through(false, { to: ["ada@bücher.example"] });
    expect(outcome).toMatchObject({ outcome: "sent" });
    expect(received[0]?.raw.toString()).toContain("\r\nTo: ada@xn--bcher-kva.example\r\n");
  });
});

describe("DKIM", () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const signingKey = async (domainName: string) => ({ domainName, keySelector: "s1", privateKey });

  test("signs what leaves, for our domain", async () => {
    const sink = await startSmtpSink();
    const outbound = smtpOutbound({ url: sink.url, hostname, signingKey });
    const unsubscribeUrl = "https://mail.example.com/unsubscribe/x";
    const sent = await outbound.send(mailOf({ text: "Grüße\n.\n..dots\n", unsubscribeUrl }));
    expect(sent).toMatchObject({ outcome: "sent" });
    const mail = await readTaken([], sink.received[0]?.raw as Buffer);
    const signature = mail.headers["dkim-signature"]?.[0]?.replace(/\s+/g, "") ?? "";
    expect(signature).toContain("d=mail.example.com;");
    expect(signature).toContain("s=s1;");
    const unsubscribe = ["list-unsubscribe", "list-unsubscribe-post"];
    for (const name of ["from", "to", "subject", "date", "message-id", ...unsubscribe]) {
      expect(/;h=([^;]+)/.exec(signature)?.[1]?.toLowerCase().split(":")).toContain(name);
    }
    await outbound.close();
    await sink.close();
  });

  test("does not make a failure before DATA look like one after it", async () => {
    const sink = await startSmtpSink();
    sink.faults.mail = { code: 451, text: "later" };
    const outbound = smtpOutbound({ url: sink.url + SHORT, hostname, signingKey });
    expect(await outbound.send(mailOf())).not.toHaveProperty("mayHaveLeft");
    await outbound.close();
    await sink.close();
  });
});

test("hosts of Amazon SES are known among other hosts of AWS", () => {
  for (const host of [
    "email-smtp.eu-west-1.amazonaws.com",
    "Email-SMTP.US-East-2.amazonaws.com",
    "email-smtp-fips.us-gov-west-1.amazonaws.com",
    "email-smtp.cn-north-1.amazonaws.com.cn",
    "vpce-0c1f2a-8xk3.email-smtp.ap-south-1.vpce.amazonaws.com",
    "vpce-0c1f2a-8xk3-ap-south-1b.email-smtp.ap-south-1.vpce.amazonaws.com",
  ])
    expect([host, isSesHost(host)]).toEqual([host, true]);
  for (const host of [
    "ec2-203-0-113-7.eu-west-1.compute.amazonaws.com",
    "mail-1a2b3c.elb.eu-west-1.amazonaws.com",
    "inbound-smtp.eu-west-1.amazonaws.com",
    "email-smtp.eu-west-1.amazonaws.com.relay.example",
    "vpce-0c1f2a.elasticache.eu-west-1.vpce.amazonaws.com",
    "my-email-smtp.eu-west-1.amazonaws.com",
  ])
    expect([host, isSesHost(host)]).toEqual([host, false]);
});
