// Raw mail in PostgreSQL: small mail is compressed, larger mail is not, and both are returned exactly as they came.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeId } from "#server/base/ids.ts";
import { type Api, api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

const LINE = "One line of a mail that repeats itself.\r\n";
/** The largest size that is compressed. */
const SMALL_BYTES = 8_192;

describe("raw mail", () => {
  let service: TestService;
  let client: Api;
  let agentKey: string;
  let address: string;
  beforeAll(async () => {
    service = await startTestService();
    client = api(service);
    ({ agentKey } = await service.newOrganization());
    ({ address } = await client.createInbox(agentKey));
  });
  afterAll(() => client.close().then(service.stop));

  const sized = (bytes: number, fill: string) => {
    const head = "From: a@else.example\r\nSubject: sized\r\n\r\n";
    return Buffer.from(`${head}${fill.slice(0, bytes - head.length - 2)}\r\n`, "latin1");
  };

  test.each([
    ["small and repetitive", sized(4_096, LINE.repeat(200)), "raw_messages_compressed", 0.2],
    ["as large as is compressed", sized(SMALL_BYTES, LINE.repeat(400)), "raw_messages_compressed", 0.2],
    ["larger by one octet", sized(SMALL_BYTES + 1, LINE.repeat(400)), "raw_messages_plain", 1],
    ["small and random", sized(4_096, randomBytes(4_000).toString("hex")), "raw_messages_compressed", 1],
    [
      "small and not ASCII",
      Buffer.from(`Subject: x\r\n\r\n${"Größe ".repeat(300)}\r\n`),
      "raw_messages_compressed",
      0.2,
    ],
  ])("%s", async (_, raw, partition, share) => {
    const { sql } = service.system;
    await sql`delete from messages`;
    await sql`delete from raw_messages`;
    await service.mail({ from: "a@else.example", to: address, raw });
    const [stored] = await eventually(async () => {
      const rows = await sql<{ id: string }[]>`select id from messages`;
      expect(rows).toHaveLength(1);
      return rows;
    });
    const [row] = await sql<{ partition: string; stored: number }[]>`
      select tableoid::regclass::text as partition, pg_column_size(bytes) as stored from raw_messages`;
    expect(row?.partition).toBe(partition);
    expect((row?.stored ?? 0) / raw.length).toBeLessThanOrEqual(share);
    const answer = await fetch(`${service.url}/v1/messages/${encodeId("msg", stored?.id ?? "")}/raw`, {
      headers: { Authorization: `Bearer ${agentKey}` },
    });
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(raw);
  });
});
