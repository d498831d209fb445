// An agent meets a bounce, a complaint, a delay, an absence note, an answer and silence, without a provider: with OUTBOUND=local,
// addresses at simulator.invalid behave so. How to run it: examples/README.md.
// In a project of your own: import { createClient } from "@mailberth/client";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "#client/index.ts";

const LOOKS_MAX = 120;
const LOOK_EVERY_MS = 500;
const SILENCE_SECONDS = 10;

/** `url` of Mailberth; `enrollmentKey`: `mb_enroll_…`, as the service prints it at its first start. */
export async function playOutcomes({ url, enrollmentKey }: { url: string; enrollmentKey: string }) {
  const { agent_key } = await createClient({ url }).enroll.redeem.mutate({
    token: enrollmentKey,
    agent_handle: "outcomes-example",
  });
  const mail = createClient({ url, key: agent_key });
  const { address: addr } = await mail.inboxes.create.mutate({ display_name: "Outcomes example" });

  // An address that bounced or complained is suppressed: a tag makes another one of it.
  const tag = Date.now();
  const send = (name: string) =>
    mail.messages.send.mutate({ addr, to: `${name}+${tag}@simulator.invalid`, subject: "Hello", text: "Can we meet?" });

  /** Looks at a sent message until it has one of these states. */
  async function becomes(id: string, ...statuses: string[]) {
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      const message = await mail.messages.get.query({ id });
      if (message.status && statuses.includes(message.status)) return message;
      await sleep(LOOK_EVERY_MS);
    }
    throw new Error(`The message ${id} did not become ${statuses.join(" or ")}`);
  }

  const bounced = await becomes((await send("bounce")).id, "bounced");
  const complained = await becomes((await send("complaint")).id, "complained");
  // The first try is refused: the message stays queued, with the reason in `error`, until the next one.
  const deferred = await becomes((await send("defer")).id, "delivered");

  const before = new Date().toISOString();
  await send("away");
  const away = await mail.messages.wait.mutate({ addr, from: "simulator.invalid", after: before, timeout_seconds: 60 });
  await send("reply");
  const reply = await mail.messages.wait.mutate({
    addr,
    from: "simulator.invalid",
    after: away.cursor,
    timeout_seconds: 60,
  });
  // No answer comes: the wait ends without a message, and an agent decides what to do then.
  await send("slow");
  const silence = await mail.messages.wait.mutate({
    addr,
    from: "simulator.invalid",
    after: reply.cursor,
    timeout_seconds: SILENCE_SECONDS,
  });
  return {
    bounce: bounced.recipients?.[0]?.reason,
    complaint: complained.status,
    defer: deferred.status,
    away: away.message?.kind,
    reply: reply.message?.subject,
    silence: silence.timed_out,
  };
}

if (import.meta.main) {
  const { MAILBERTH_URL = "http://127.0.0.1:3000", ENROLLMENT_KEY } = process.env;
  if (!ENROLLMENT_KEY) throw new Error("Set ENROLLMENT_KEY to the key that the service printed when it first started");
  console.log(await playOutcomes({ url: MAILBERTH_URL, enrollmentKey: ENROLLMENT_KEY }));
}
