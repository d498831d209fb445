// Two mailboxes of this service whose agents answer every mail immediately: they stop; people and slow conversations do
// not.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type Message, startReplyRig } from "#test/sending/reply-rig.ts";
import { adjustableClock } from "#test/support/service.ts";

const MAILS_MAX = 10;
const TALK_MAILS = 14;
const STEP_MS = 90_000;
const ROUNDS_MAX = 40;

const clock = adjustableClock();
const rig = await startReplyRig({ OUTBOUND: "local" }, { now: clock.now });
afterAll(rig.stop);
beforeEach(() => clock.set(new Date()));

type Mailbox = Awaited<ReturnType<typeof rig.newReader>>;
type How = (mailbox: Mailbox, id: string) => Promise<{ status: number; body: { error?: { code: string } } }>;

const inbound = (messages: Message[]) => messages.filter(({ direction }) => direction === "inbound");

/** Every mailbox answers whatever it gets until nothing more comes; how many mails there were, and what was refused. */
async function run(mailboxes: Mailbox[], how: How) {
  const handled = new Set<string>();
  const refusals: (string | undefined)[] = [];
  let accepted = 0;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    // All that was sent has arrived.
    await expect
      .poll(async () => (await Promise.all(mailboxes.map((each) => each.list()))).flat().map(({ status }) => status))
      .not.toEqual(expect.arrayContaining([expect.stringMatching(/^(queued|sending|received)$/)]));
    const jobs = await Promise.all(
      mailboxes.map(async (mailbox) => inbound(await mailbox.list()).map(({ id }) => ({ mailbox, id }))),
    );
    const open = jobs.flat().filter(({ id }) => !handled.has(id));
    if (open.length === 0) break;
    const answers = await Promise.all(
      open.map(({ mailbox, id }) => {
        handled.add(id);
        return how(mailbox, id);
      }),
    );
    for (const { status, body } of answers) {
      if (status === 202) accepted += 1;
      else refusals.push(body.error?.code);
    }
  }
  return { mails: accepted + 1, refusals };
}

describe("two mailboxes that answer every mail immediately stop within ten mails", () => {
  const ways: [string, How][] = [
    ["by reply", (mailbox, id) => mailbox.reply(id)],
    ["by reply_all", (mailbox, id) => mailbox.reply(id, { text: "x", reply_all: true })],
    ["by forward", async (mailbox, id) => mailbox.forward(id, { to: (await mailbox.read(id)).from })],
  ];
  test.each(ways)("%s, of two organizations or one", async (_name, how) => {
    const [a, b, c] = [await rig.newReader(), await rig.newReader(), await rig.newReader()];
    const pairs: [Mailbox, Mailbox][] = [
      [a, b],
      [c, await rig.inboxFor(c.key)],
    ];
    for (const [one, other] of pairs) {
      await one.send({ to: other.address, subject: "Hello" });
      const { mails, refusals } = await run([one, other], how);
      expect([mails, refusals]).toEqual([MAILS_MAX, ["reply_refused"]]);
      const threads = await Promise.all([one, other].map(async (each) => (await each.list()).map((m) => m.thread_id)));
      expect(new Set(threads.at(-1)).size).toBe(1);
      expect(threads.at(-1)).toHaveLength(MAILS_MAX);
    }
  });

  test("the reason says what to do, and after some minutes the talk may go on", async () => {
    const [one, other] = [await rig.newReader(), await rig.newReader()];
    await one.send({ to: other.address });
    await run([one, other], (mailbox, id) => mailbox.reply(id));
    const last = inbound(await other.list())[0]?.id ?? "";
    const mine = inbound(await one.list())[0]?.id ?? "";
    const [a, b] = [await other.reply(last), await one.reply(mine)];
    for (const { status, body } of [a, b]) {
      expect([status, body.error.code]).toEqual([422, "reply_refused"]);
      expect(body.error.message).toMatch(/wait .*new message/is);
    }
    clock.advance(600_000);
    expect((await one.reply(mine)).status).toBe(202);
  });

  test("a mailbox that answers its own messages instead", async () => {
    const [one, other] = [await rig.newReader(), await rig.newReader()];
    let { id } = (await one.send({ to: other.address })).body;
    let mails = 1;
    for (; mails < ROUNDS_MAX; mails += 1) {
      const { status, body } = await one.reply(id);
      if (status !== 202) break;
      id = body.id;
    }
    expect(mails).toBe(MAILS_MAX);
  });
});

describe("never stopped", () => {
  test("a slow talk between two mailboxes", async () => {
    const [one, other] = [await rig.newReader(), await rig.newReader()];
    await one.send({ to: other.address });
    let left = TALK_MAILS;
    const { mails } = await run([one, other], async (mailbox, id) => {
      clock.advance(STEP_MS);
      left -= 1;
      return left > 0 ? mailbox.reply(id) : { status: 0, body: {} };
    });
    expect(mails).toBe(TALK_MAILS);
  });

  test("a quick conversation with a person, with or without a local mailbox in copy", async () => {
    const [one, other] = [await rig.newReader(), await rig.newReader()];
    let references = "";
    for (let i = 0; i < TALK_MAILS; i += 1) {
      const id = await one.receive({
        text: `${i}`,
        cc: other.address,
        references,
        messageId: `<${i}.${one.id}@else.example>`,
      });
      references = `<${i}.${one.id}@else.example>`;
      expect((await one.reply(id, { text: "x", reply_all: true })).status).toBe(202);
    }
    expect(new Set((await one.list()).map((message) => message.thread_id)).size).toBe(1);
  });

  test("new messages, each answered once", async () => {
    const [one, other] = [await rig.newReader(), await rig.newReader()];
    for (let i = 0; i < TALK_MAILS; i += 1) await one.send({ to: other.address, subject: `${i}` });
    await expect.poll(async () => inbound(await other.list()).length).toBe(TALK_MAILS);
    for (const { id } of inbound(await other.list())) expect((await other.reply(id)).status).toBe(202);
  });
});
