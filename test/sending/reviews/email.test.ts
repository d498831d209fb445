// The one-time links of emails that ask for an approval.
import PostalMime from "postal-mime";
import { afterAll, describe, expect, test } from "vitest";
import { setOwners } from "#server/organizations/organizations.ts";
import { eventually } from "#test/support/events.ts";
import { ADA, HOUR_MS, startReviews, TTL_HOURS } from "./reviews-rig.ts";

const { clock, sink, service, reviewed, stop } = await startReviews();
afterAll(stop);

describe("an email", () => {
  let made = 0;

  /** @param isRevoked the message is held because its key is revoked */
  async function asked(isRevoked = false) {
    const box = await reviewed(isRevoked ? "none" : "all");
    made += 1;
    const boss = `boss${made}@people.example`;
    await setOwners(service.system, box.organizationId, [boss]);
    const send_at = isRevoked ? new Date(clock.now().getTime() + HOUR_MS).toISOString() : undefined;
    const words = "Read <script>this</script> and <link>";
    const sent = await box.send({ subject: "Offer <b>", text: words, send_at, headers: { "X-Own": "<i>1</i>" } });
    if (isRevoked) await box.trpc.keys.revoke.mutate({ id: box.enrollmentKeyId });
    const emails = () => sink.received.filter(({ to }) => to.includes(boss));
    await eventually(() => expect(emails()).toHaveLength(1));
    const { text = "" } = await PostalMime.parse(emails()[0]?.raw ?? "");
    const [link = ""] = /https?:\/\/\S+\/review\/\S+/.exec(text) ?? [];
    const path = new URL(link).pathname;
    const open = (method: string, query = "", at = path) => fetch(`${service.url}${at}${query}`, { method });
    return { box, boss, sent, emails, text, path, open };
  }

  test("goes to the notification addresses, and its link opened by a scanner changes nothing", async () => {
    const { box, sent, text, open } = await asked();
    expect(text.match(/\/review\//g)).toHaveLength(1);
    for (const [method, query] of [
      ["GET", ""],
      ["HEAD", ""],
      ["GET", "?decision=approve"],
      ["POST", ""],
      ["POST", "?decision=x"],
    ] as const) {
      const { status } = await open(method, query);
      expect([method, query, status]).toEqual([method, query, method === "POST" ? 400 : 200]);
    }
    const page = await (await open("GET")).text();
    expect(page).toContain("Read &lt;script&gt;this");
    expect(page).toContain("<dt>X-Own</dt><dd>&lt;i&gt;1&lt;/i&gt;</dd>");
    expect(page).not.toContain("<script");
    expect(await open("DELETE")).toMatchObject({ status: 405 });
    expect((await box.read(sent.id)).status).toBe("held");
  });

  test("and its page say that the message waits because its key was revoked, and only then", async () => {
    const why = "It was held because the key that wrote it was revoked.";
    for (const isRevoked of [true, false]) {
      const { text, open } = await asked(isRevoked);
      expect([text.includes(why), (await (await open("GET")).text()).includes(why)]).toEqual([isRevoked, isRevoked]);
    }
  });

  test("approves by POST once, and then never again", async () => {
    const { box, boss, sent, open } = await asked();
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, i) => open("POST", i % 2 ? "?decision=reject" : "?decision=approve")),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const [decided] = (await box.trpc.reviews.list.query({ decided: true })).data;
    expect(decided?.decided_by).toBe(`${boss} (by the link in the mail)`);
    expect(await (await open("GET")).text()).toContain(`This message is ${decided?.status}`);
    expect((await box.events()).filter(({ message }) => message.id === sent.id)).toHaveLength(1);
  });

  test("has no power over a changed message, after the person left, after it expired, or with a changed token", async () => {
    const { box, boss, sent, open, path } = await asked();
    const [last = ""] = path.slice(-1);
    for (const wrong of [
      `${path.slice(0, -1)}${last === "0" ? "1" : "0"}`,
      path.replace(/\.[0-9a-f]{64}\./, `.${"0".repeat(64)}.`),
      "/review/x",
    ]) {
      expect((await open("POST", "?decision=approve", wrong)).status).toBe(404);
    }
    await setOwners(service.system, box.organizationId, []);
    expect((await open("POST", "?decision=approve")).status).toBe(404);
    await setOwners(service.system, box.organizationId, [boss]);
    const content = { to: [ADA], cc: [], bcc: [], subject: "New", text: "Changed", html: null };
    await box.trpc.reviews.edit.mutate({ ...(await box.seen(sent.id)).named, ...content });
    expect((await open("POST", "?decision=approve")).status).toBe(409);
    expect(await (await open("GET")).text()).toContain("was changed");
    clock.advance(TTL_HOURS * HOUR_MS);
    expect((await open("POST", "?decision=reject")).status).toBe(409);
    expect((await box.read(sent.id)).status).toMatch(/held|rejected/);
    expect(box.mails()).toEqual([]);
  });
});
