// Guesses at recipients over SMTP: counted per client address, and cheap for the database.
import { describe, expect, test } from "vitest";
import { eventually } from "#test/support/events.ts";
import { addMailbox } from "#test/support/inbound.ts";
import {
  ATTACKER,
  type Client,
  closeAfterEach,
  connect,
  greeted,
  handOver,
  NEIGHBOUR,
  open,
} from "#test/support/smtp-clients.ts";

closeAfterEach();

describe("unknown recipients", () => {
  const guess = (client: Client, n: number) => client.ask(`RCPT TO:<guess-${n}@mail.localhost>`);

  test("the tenth ends the session and bans the address for a while; others are served", async () => {
    const service = await open();
    const { address } = await addMailbox(service);
    const { port } = await service.listen({ banMs: 1_500 });
    const client = await greeted(port, ATTACKER);
    const second = await greeted(port, ATTACKER);
    for (const each of [client, second]) await each.ask("MAIL FROM:<a@example.org>");
    for (let n = 1; n < 10; n += 1) expect(await guess(n % 2 ? client : second, n)).toMatch(/^550 5\.1\.1 /);
    expect(await guess(client, 10)).toMatch(/^421 4\.7\.1 /);
    expect(await client.rest()).toBe("");
    expect((await connect(port, ATTACKER)).greeting).toMatch(/^421 4\.7\.1 /);
    // A session that was open already may still hand over mail, but not guess.
    expect(await second.ask(`RCPT TO:<${address}>`)).toMatch(/^250 /);
    expect(await guess(second, 11)).toMatch(/^421 4\.7\.1 /);
    expect(await handOver(port, NEIGHBOUR, address)).toMatch(/^250 /);
    await eventually(() => greeted(port, ATTACKER));
  });

  test("new connections do not start a new count", async () => {
    const service = await open();
    const { port } = await service.listen();
    const replies: string[] = [];
    for (let n = 0; n < 10; n += 1) {
      const client = await greeted(port, ATTACKER);
      await client.ask("MAIL FROM:<a@example.org>");
      replies.push((await guess(client, n)).slice(0, 9));
      client.socket.destroy();
      await client.rest();
    }
    expect(replies).toEqual([...Array(9).fill("550 5.1.1"), "421 4.7.1"]);
  });

  test("a sender of many mails with some unknown recipients is never banned", async () => {
    const service = await open();
    const { address } = await addMailbox(service);
    const { port } = await service.listen();
    const client = await greeted(port, NEIGHBOUR);
    for (let n = 0; n < 15; n += 1) {
      await client.ask("MAIL FROM:<a@example.org>");
      expect(await guess(client, n)).toMatch(/^550 5\.1\.1 /);
      expect(await client.ask(`RCPT TO:<${address}>`)).toMatch(/^250 /);
      await client.ask("DATA");
      expect(await client.ask(`Subject: ${n}\r\n\r\nHello\r\n.`)).toMatch(/^250 /);
    }
  });

  test("recipients at domains of others are refused, and are no guesses", async () => {
    const service = await open();
    const { address } = await addMailbox(service);
    const { port } = await service.listen();
    const client = await greeted(port, NEIGHBOUR);
    await client.ask("MAIL FROM:<a@example.org>");
    for (let n = 0; n < 50; n += 1) expect(await client.ask(`RCPT TO:<cc-${n}@else.example>`)).toMatch(/^550 5\.1\.1 /);
    expect(await client.ask(`RCPT TO:<${address}>`)).toMatch(/^250 /);
  });

  test("many concurrent lookups use one connection of the pool", async () => {
    const service = await open();
    const { port } = await service.listen({ lookUpMs: 5_000 });
    const guessing = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const client = await greeted(port, `127.0.1.${n + 1}`);
        await client.ask("MAIL FROM:<a@example.org>");
        return client;
      }),
    );
    const { sql } = service.ctx;
    let answers: Promise<string[]> | undefined;
    await sql.begin(async (tx) => {
      await tx`lock table inboxes in access exclusive mode`;
      answers = Promise.all(guessing.map((client, n) => guess(client, n)));
      const waiting = async () => {
        await tx`select pg_stat_clear_snapshot()`;
        return tx`
          select pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%select i.id, i.address%'`;
      };
      await eventually(async () => expect(await waiting()).toHaveLength(1));
      // The pool has room for other queries, so it would have had room for more look-ups.
      await Promise.all(Array.from({ length: 5 }, () => sql`select 1`));
      expect(await waiting()).toHaveLength(1);
    });
    expect(await answers).toEqual(Array(40).fill("550 5.1.1 No such mailbox here"));
  });
});
