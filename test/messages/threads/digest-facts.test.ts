// Digests of generated conversations keep what people look for, within the budget.
import { afterAll, expect, test } from "vitest";
import { generateThread } from "#test/extraction/generated-threads.ts";
import { size as sizeOf } from "#test/sizes.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const BUDGET = 8_000;
/** Of the facts that people wrote. What is missing is in threads of more than 12,000 characters of new words. */
const KEPT_MIN = 0.97;
/** Of the characters of the raw mails. */
const SHARE_MAX = 0.2;
const TEST_TIMEOUT_MS = 1_800_000;
const service = await startTestService({
  ROLES: "web,smtp",
  RATE_LIMIT_BURST: "100000",
  RATE_LIMIT_PER_SECOND: "1000",
});
const client = api(service);
afterAll(() => client.close().then(service.stop));

/** Without line breaks and marks of emphasis, which programs add. */
const plain = (text: string) => text.replace(/[*\s]+/g, " ").toLowerCase();

async function digestOf(seed: number) {
  const { raw, facts } = generateThread(seed);
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  const newest = async () =>
    (await client.get<Page<{ id: string; thread_id: string }>>(inboxPath(address, "/messages?limit=1"), { key })).body
      .data[0];
  for (const mail of raw) {
    await service.mail({ from: "someone@else.example", to: address, raw: Buffer.from(mail) });
    // Read before it is answered.
    await client.get(`/v1/messages/${(await newest())?.id}`, { key });
  }
  const { text, body } = await client.get<{ message_count: number; digest: { text: string } }>(
    `/v1/threads/${(await newest())?.thread_id}/digest?max_chars=${BUDGET}`,
    { key },
  );
  const shown = plain(body.digest.text);
  const lost = facts.filter((fact) => !shown.includes(plain(fact)));
  const chars = raw.reduce((sum, mail) => sum + mail.length, 0);
  return {
    seed,
    count: body.message_count,
    mails: raw.length,
    size: text.length,
    share: text.length / chars,
    facts,
    lost,
  };
}

test(
  "facts stay, the budget holds, and the median is a fifth of the mails at most",
  async () => {
    const seeds = Array.from({ length: sizeOf("DIGESTED_THREADS") }, (_, i) => 5_000 + i);
    const digests: Awaited<ReturnType<typeof digestOf>>[] = [];
    for (const seed of seeds) digests.push(await digestOf(seed));
    for (const { seed, count, mails, size } of digests) {
      expect([seed, count]).toEqual([seed, mails]);
      expect(size, `${seed}`).toBeLessThanOrEqual(BUDGET);
    }
    const shares = digests.map(({ share }) => share).sort((a, b) => a - b);
    const all = digests.flatMap(({ facts }) => facts).length;
    const lost = digests.flatMap(({ seed, lost: gone }) => gone.map((fact) => `${seed}: ${fact}`));
    const figures = { median: shares[Math.floor(shares.length / 2)], kept: 1 - lost.length / all };
    expect(figures.median).toBeLessThanOrEqual(SHARE_MAX);
    expect(figures.kept, lost.slice(0, 20).join("\n")).toBeGreaterThanOrEqual(KEPT_MIN);
  },
  TEST_TIMEOUT_MS,
);
