// The send queue against a relay on loopback: queued → sending → sent or failed, retries, leases, limits, stopping.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { encodeId } from "#server/base/ids.ts";
import { removeInbox } from "#server/inboxes/remove.ts";
import { leaseQueued } from "#server/sending/lease-queued.ts";
import { transmitQueued } from "#server/sending/transmit.ts";
import { messageIdIn } from "#test/contracts/outbound/contract.ts";
import { eventually } from "#test/support/events.ts";
import { type SmtpSink, startSmtpSink } from "#test/support/smtp-sink.ts";
import { type Rig, startRig } from "./transmit-rig.ts";

const HOUR_MS = 3_600_000;
const LEASE_MS = 60_000;
const RENEWED_WITHIN_MS = 30_000;
const WRITTEN_WITHIN_MS = 15_000;
/** Longer than a run of the job waits for its outcomes to be written when it stops. */
const OUTAGE_MS = 3_000;

let sink: SmtpSink;
let rig: Rig;
let from: string;
beforeEach(async () => {
  sink = await startSmtpSink();
  rig = await startRig({ OUTBOUND: "smtp", OUTBOUND_SMTP_URL: `${sink.url}?socketTimeout=400` });
  from = (await rig.inbox("desk")).address;
});
afterEach(async () => {
  await rig.close();
  await sink.close();
});

/** Runs the job again and again, as the worker does. */
async function workUntil({ system }: Rig, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await transmitQueued(system, stop).catch(() => 0); // the database is away
    await sleep(50);
  }
}

describe("a queued message", () => {
  test("is handed over with everything on it, and is sent", async () => {
    const content_base64 = Buffer.from("the file").toString("base64");
    const id = await rig.send(from, {
      to: ["ada@elsewhere.example", "Bob <bob@elsewhere.example>"],
      bcc: ["secret@elsewhere.example"],
      attachments: [{ filename: "a.txt", content_type: "text/plain", content_base64 }],
    });
    expect(await transmitQueued(rig.system)).toBe(1);
    expect(await rig.message(id)).toMatchObject({
      status: "sent",
      attempts: 1,
      sent_at: expect.any(Date),
      next_attempt_at: null,
      error: null,
    });
    expect(await rig.recipients(id)).toMatchObject(
      ["ada", "bob", "secret"].map((name) => {
        return { address: `${name}@elsewhere.example`, status: "sent", smtp_code: 250, enhanced_code: "2.0.0" };
      }),
    );
    const raw = sink.received[0]?.raw.toString() ?? "";
    expect(messageIdIn(raw)).toMatch(new RegExp(`^<${encodeId("msg", id)}\\.[0-9a-z]{16}@mail\\.example\\.com>$`));
    expect(raw).toContain(content_base64);
    expect(raw).toContain("From: Support <desk@mail.example.com>");
    expect(raw).not.toContain("secret@");
    expect(sink.received.map(({ to }) => to)).toEqual(
      ["ada", "bob", "secret"].map((name) => [`${name}@elsewhere.example`]),
    );
    expect(new Set(sink.received.map((mail) => mail.raw.toString())).size).toBe(1);
    const senders = sink.received.map((mail) => mail.from);
    expect(new Set(senders).size).toBe(3);
    for (const sender of senders) expect(sender).toMatch(/^b\+[0-9a-z]{44}@bounce\.mail\.example\.com$/);
    expect(await transmitQueued(rig.system)).toBe(0);
    expect(sink.received).toHaveLength(3);
  });

  test("is leased by one of many workers", async () => {
    const ids = await Promise.all(Array.from({ length: 150 }, (_, i) => rig.send(from, { subject: `n${i}` })));
    const counts = await Promise.all(Array.from({ length: 4 }, () => transmitQueued(rig.system)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(150);
    expect(sink.received).toHaveLength(150);
    // On a busy machine the last results are written after the run.
    await eventually(async () => {
      const [row] = await rig.sql`select count(*)::int as sent from messages where status = 'sent'`;
      expect(row?.sent).toBe(ids.length);
    });
  });

  test("with megabytes on it is leased with few others, so that memory stays bounded", async () => {
    const content_base64 = Buffer.alloc(12 * 1024 * 1024, 1).toString("base64");
    const attachments = [{ filename: "a.bin", content_type: "application/octet-stream", content_base64 }];
    for (let i = 0; i < 4; i++) await rig.send(from, { attachments, subject: `n${i}` });
    expect(await leaseQueued(rig.system, [])).toHaveLength(3);
    expect(await leaseQueued(rig.system, [])).toHaveLength(1);
  });

  test("of a deleted mailbox is not sent", async () => {
    const id = await rig.send(from);
    await removeInbox(rig.agent, from);
    await rig.sql`update messages set status = 'queued', next_attempt_at = now() where id = ${id}`;
    await transmitQueued(rig.system);
    expect(await rig.message(id)).toMatchObject({
      status: "failed",
      error: expect.stringContaining("mailbox was deleted"),
    });
    expect(sink.received).toEqual([]);
  });
});

describe("an attempt that failed", () => {
  test("for now is repeated later and later, for two days, then the message has failed", async () => {
    sink.faults.data = { code: 451, text: "4.3.0 Later" };
    const id = await rig.send(from);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 14; attempt++) {
      expect(await transmitQueued(rig.system)).toBe(1);
      const row = await rig.message(id);
      expect(row?.attempts).toBe(attempt);
      if (attempt === 14) break;
      expect(row).toMatchObject({ status: "queued", error: expect.stringContaining("451 4.3.0 Later") });
      const wait = row?.next_attempt_at.getTime() - rig.system.now().getTime();
      waits.push(wait);
      expect(await transmitQueued(rig.system)).toBe(0);
      rig.clock.aheadMs += wait + 1000;
    }
    const row = await rig.message(id);
    expect(row).toMatchObject({ status: "failed", next_attempt_at: null });
    expect(row?.error).toMatch(/^given up after 14 attempts; .*451/);
    const total = waits.reduce((sum, wait) => sum + wait, 0);
    expect(total).toBeGreaterThan(40 * HOUR_MS);
    expect(total).toBeLessThan(55 * HOUR_MS);
  });

  test("for now, then works: sent once", async () => {
    sink.faults.mail = { code: 421, text: "busy" };
    const id = await rig.send(from);
    await transmitQueued(rig.system);
    sink.faults.mail = undefined;
    rig.clock.aheadMs += HOUR_MS;
    await transmitQueued(rig.system);
    expect(await rig.message(id)).toMatchObject({ status: "sent", attempts: 2, error: null });
    expect(sink.received).toHaveLength(1);
  });

  test("for good is final, with the relay's words", async () => {
    sink.faults.rcpt = () => ({ code: 550, text: "5.1.1 Who?" });
    const id = await rig.send(from);
    await transmitQueued(rig.system);
    expect(await rig.message(id)).toMatchObject({
      status: "bounced",
      error: expect.stringContaining("550 5.1.1 Who?"),
    });
    expect(await rig.recipients(id)).toMatchObject([
      { address: "ada@elsewhere.example", status: "bounced", smtp_code: 550, enhanced_code: "5.1.1" },
    ]);
    rig.clock.aheadMs += 100 * HOUR_MS;
    expect(await transmitQueued(rig.system)).toBe(0);
  });

  test("of one message delays no other", async () => {
    sink.faults.rcpt = (address) => (address.startsWith("bad") ? { code: 450, text: "no" } : undefined);
    const bad = await rig.send(from, { to: "bad@elsewhere.example" });
    const good = await rig.send(from);
    await transmitQueued(rig.system);
    expect((await rig.message(bad))?.status).toBe("queued");
    expect((await rig.message(good))?.status).toBe("sent");
  });

  test("without an answer is repeated with the same Message-ID, and the copy is labelled and counted", async () => {
    sink.faults.drop = "dot";
    const id = await rig.send(from);
    await transmitQueued(rig.system);
    expect(await rig.message(id)).toMatchObject({ status: "queued", error: expect.stringMatching(/^may have left: /) });
    sink.faults.drop = undefined;
    rig.clock.aheadMs += HOUR_MS;
    await transmitQueued(rig.system);
    const row = await rig.message(id);
    expect(row).toMatchObject({ status: "sent", error: null });
    expect((await rig.recipients(id))[0]?.reason).toContain("may be a second copy");
    const idLines = sink.received.map(({ raw }) => messageIdIn(raw));
    expect(idLines).toHaveLength(2);
    expect(new Set(idLines).size).toBe(1);
    expect(await rig.system.metrics.registry.metrics()).toContain('mailberth_sends_total{outcome="unknown"} 1');
  });
});

describe("a lease", () => {
  test("that lapsed (its process died) is taken over, labelled", async () => {
    const id = await rig.send(from);
    expect(await leaseQueued(rig.system, [])).toHaveLength(1);
    expect((await rig.message(id))?.status).toBe("sending");
    expect(await transmitQueued(rig.system)).toBe(0);
    rig.clock.aheadMs += LEASE_MS + 1;
    expect(await transmitQueued(rig.system)).toBe(1);
    const row = await rig.message(id);
    expect(row).toMatchObject({ status: "sent", attempts: 2 });
    expect((await rig.recipients(id))[0]?.reason).toContain("may be a second copy");
  });

  test("is not settled by a process that lost it", async () => {
    sink.faults.hang = "dot";
    const id = await rig.send(from);
    const first = transmitQueued(rig.system);
    await expect.poll(() => sink.counts.mails).toBe(1);
    rig.clock.aheadMs += LEASE_MS + 1;
    const [taken] = await leaseQueued(rig.system, []);
    await first;
    const row = await rig.message(id);
    expect(row).toMatchObject({ status: "sending", attempts: 2 });
    expect(row?.next_attempt_at).toEqual(taken?.leases[0]);
  });

  test("is renewed while its hand-over takes long", async () => {
    const patient = await startRig({ OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url });
    onTestFinished(patient.close);
    sink.faults.hang = "dot";
    const id = await patient.send((await patient.inbox("desk")).address);
    const running = transmitQueued(patient.system);
    await expect.poll(() => sink.counts.mails).toBe(1);
    const lease = async () => (await patient.message(id))?.next_attempt_at as Date;
    const first = await lease();
    await expect.poll(lease, { timeout: RENEWED_WITHIN_MS }).not.toEqual(first);
    sink.dropAll();
    await running;
    // Its outcome was written, although the lease is another one than the first one.
    expect(await patient.message(id)).toMatchObject({ status: "queued", attempts: 1 });
  });

  test("is settled after an outage longer than a lease, without a second copy", async () => {
    const slow = await startSmtpSink({ answerAfterMs: 200 });
    onTestFinished(slow.close);
    const cut = await startRig({ OUTBOUND: "smtp", OUTBOUND_SMTP_URL: slow.url }, { proxied: true });
    onTestFinished(cut.close);
    const id = await cut.send((await cut.inbox("desk")).address);
    const stop = new AbortController();
    const working = workUntil(cut, stop.signal);
    await expect.poll(() => slow.counts.mails).toBe(1);
    await cut.proxy.cut();
    const sends = async () => (await cut.system.metrics.sends.get()).values.reduce((sum, { value }) => sum + value, 0);
    await expect.poll(sends).toBe(1);
    await sleep(OUTAGE_MS);
    cut.clock.aheadMs += LEASE_MS + 1;
    await cut.proxy.mend();
    const status = async () => (await cut.message(id))?.status;
    await expect.poll(status, { timeout: WRITTEN_WITHIN_MS }).toBe("sent");
    stop.abort();
    await working;
    expect(await cut.message(id)).toMatchObject({ status: "sent", attempts: 1 });
    expect(slow.counts.mails).toBe(1);
  });
});

describe("while a hand-over hangs", () => {
  test("new messages are sent", async () => {
    sink.faults.hang = "dot";
    await rig.send(from);
    const running = transmitQueued(rig.system);
    await expect.poll(() => sink.counts.mails).toBe(1);
    sink.faults.hang = undefined;
    const second = await rig.send(from, { subject: "second" });
    await expect.poll(async () => (await rig.message(second))?.status).toBe("sent");
    expect(await running).toBe(2);
  });
});

describe("stopping", () => {
  test("finishes what is under way and returns the rest to the queue", async () => {
    const stop = new AbortController();
    const ids = await Promise.all(Array.from({ length: 60 }, (_, i) => rig.send(from, { subject: `n${i}` })));
    sink.faults.rcpt = () => {
      stop.abort();
      return undefined;
    };
    await transmitQueued(rig.system, stop.signal);
    const rows = await rig.sql`select status, attempts, next_attempt_at <= ${rig.system.now()} as due from messages`;
    const sent = rows.filter(({ status }) => status === "sent");
    const back = rows.filter(({ status }) => status === "queued");
    expect(sent.length + back.length).toBe(ids.length);
    expect(sent.length).toBe(sink.received.length);
    expect(back.length).toBeGreaterThan(0);
    for (const row of back) expect(row).toMatchObject({ attempts: 0, due: true });
    sink.faults.rcpt = undefined;
    await transmitQueued(rig.system);
    expect(new Set(sink.received.map(({ raw }) => messageIdIn(raw))).size).toBe(60);
    expect(sink.received).toHaveLength(60);
  });
});
