// Send and reply to addresses of existing people that are not as strict as RFC 5321: dots anywhere, quotes, letters of all scripts.
import { afterAll, describe, expect, test } from "vitest";
import { eventually } from "#test/support/events.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { startReplyRig } from "./reply-rig.ts";

const rig = await startReplyRig();
const strictSink = await startSmtpSink({ smtpUtf8: false });
const strict = await startReplyRig({ OUTBOUND_SMTP_URL: strictSink.url });
afterAll(async () => {
  await rig.stop();
  await strict.stop();
  await strictSink.close();
});

/** As people write it, and as the relay gets it. */
const ODD: [string, string][] = [
  ["yuki..kaze@phone.example", '"yuki..kaze"@phone.example'],
  ["kaze.@phone.example", '"kaze."@phone.example'],
  [".-haru-.@phone.example", '".-haru-."@phone.example'],
  ['"plain"@old.example', "plain@old.example"],
  ["o'neil+x=y@post.example", "o'neil+x=y@post.example"],
  ["a/b!c@x400.example", "a/b!c@x400.example"],
  ["мария@почта.example", "мария@почта.example"],
  ["用户@例子.example", "用户@例子.example"],
  ["josé@café.example", "josé@café.example"],
  ["अजय@डाटा.example", "अजय@डाटा.example"],
  ["mia@bücher.example", "mia@bücher.example"],
];

describe("an address that is not strict", () => {
  test.each(ODD)("gets mail: %s", async (address, sent) => {
    const { send } = await rig.newReader();
    const { status, body } = await send({ to: `Someone <${address}>` });
    expect(status).toBe(202);
    expect((await rig.departed(body.id)).envelopeTo).toEqual([sent]);
  });

  test.each(ODD)("can be answered: %s", async (address, sent) => {
    const reader = await rig.newReader();
    const raw = `From: ${address}\r\nTo: ${reader.address}\r\nSubject: A question\r\n\r\nWhen?\r\n`;
    const id = await reader.receive({ raw, envelope: { from: address, to: reader.address } });
    const { status, body } = await reader.reply(id);
    expect([status, body.error]).toEqual([202, undefined]);
    expect((await rig.departed(body.id)).envelopeTo).toEqual([sent]);
  });

  test.each(["..@phone.example", "a b@phone.example", '"a\\"@phone.example', "a@-b.example", 'x"y@phone.example'])(
    "is refused if it is none: %s",
    async (address) => {
      const { send } = await rig.newReader();
      expect((await send({ to: address })).status).toBe(400);
    },
  );
});

describe("an address with letters outside ASCII before the @", () => {
  test("fails with the reason where the relay does not offer SMTPUTF8, and others get the mail", async () => {
    const reader = await strict.newReader();
    const { body } = await reader.send({ to: ["ann@else.example", "мария@почта.example"] });
    await eventually(async () => expect(await reader.read(body.id)).toMatchObject({ status: "failed" }));
    const { recipients } = (await reader.read(body.id)) as unknown as { recipients: object[] };
    expect(recipients).toMatchObject([
      { address: "ann@else.example", status: "sent" },
      { status: "failed", enhanced_code: "5.6.7", reason: expect.stringContaining("does not offer SMTPUTF8") },
    ]);
    expect(strictSink.received.map(({ to }) => to)).toEqual([["ann@else.example"]]);
  });

  test("is refused as the reply-to address, which everyone must be able to write to", async () => {
    const { send } = await rig.newReader();
    const { status, text } = await send({ to: "ann@else.example", reply_to: "мария@почта.example" });
    expect([status, text]).toEqual([400, expect.stringContaining("reply_to")]);
  });
});
