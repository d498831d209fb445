// What one client address can take from others over SMTP: connections, memory, time, commands and TLS handshakes.
import { connect as connectTls } from "node:tls";
import { describe, expect, test } from "vitest";
import { eventually } from "#test/support/events.ts";
import { addMailbox, type Inbound, speakUpToData, stored } from "#test/support/inbound.ts";
import {
  ATTACKER,
  type Client,
  closeAfterEach,
  connect,
  greeted,
  handOver,
  keep,
  NEIGHBOUR,
  open,
} from "#test/support/smtp-clients.ts";

closeAfterEach();

async function refusals({ ctx }: Inbound): Promise<Record<string, number>> {
  const { values } = await ctx.metrics.smtpRefusals.get();
  return Object.fromEntries(values.map(({ labels, value }) => [labels.reason, value]));
}

describe("connections", () => {
  test("an address gets 20; those beyond get 421, and other addresses are served", async () => {
    const service = await open();
    const { address } = await addMailbox(service);
    const { port } = await service.listen();
    const opened = await Promise.all(Array.from({ length: 60 }, () => connect(port, ATTACKER)));
    const refused = opened.filter(({ greeting }) => greeting.startsWith("421 4.7.0 "));
    expect(opened.filter(({ greeting }) => greeting.startsWith("220 "))).toHaveLength(20);
    expect(refused).toHaveLength(40);
    for (const { client } of refused) expect(await client.rest()).toBe("");
    expect(await handOver(port, NEIGHBOUR, address)).toMatch(/^250 /);
    expect(await refusals(service)).toMatchObject({ address_connections: 40 });
    for (const { client } of opened) client.socket.destroy();
    await eventually(async () => expect((await connect(port, ATTACKER)).greeting).toMatch(/^220 /));
  });

  test("a raised setting leaves three quarters of all connections to others", async () => {
    const service = await open({ SMTP_CONNECTIONS_PER_ADDRESS: "1000" });
    const { port } = await service.listen({ clients: 40 });
    const opened = await Promise.all(Array.from({ length: 40 }, () => connect(port, ATTACKER)));
    expect(opened.filter(({ greeting }) => greeting.startsWith("220 "))).toHaveLength(10);
    expect((await connect(port, NEIGHBOUR)).greeting).toMatch(/^220 /);
  });

  test("one after the other, an address opens 10 a second, and more that bring a mail", async () => {
    const service = await open();
    const { address } = await addMailbox(service);
    const { port } = await service.listen({ opens: 5, opensPerSecond: 0.01 });
    for (let n = 0; n < 10; n += 1) expect(await handOver(port, NEIGHBOUR, address)).toMatch(/^250 /);
    const greetings: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      const { client, greeting } = await connect(port, ATTACKER);
      greetings.push(greeting.slice(0, 9));
      client.socket.destroy();
      await client.rest();
    }
    expect(greetings.map((greeting) => greeting.slice(0, 3))).toEqual([...Array(5).fill("220"), "421", "421"]);
    expect(await handOver(port, NEIGHBOUR, address)).toMatch(/^250 /);
  });

  test("a session that ends by errors counts as several", async () => {
    const service = await open();
    const { port } = await service.listen({ opens: 12, opensPerSecond: 0.01, errorsPerMail: 3 });
    const client = await greeted(port, ATTACKER);
    client.write("MAIL FROM:<\r\n".repeat(5));
    expect(await client.rest()).toContain("421 4.7.0 Too many errors");
    expect((await connect(port, ATTACKER)).greeting).toMatch(/^220 /);
    expect((await connect(port, ATTACKER)).greeting).toMatch(/^421 4\.7\.0 /);
  });

  test("when all are in use, one that is idle without a mail gives way to a new one", async () => {
    const service = await open();
    const { address } = await addMailbox(service);
    const { port } = await service.listen({ clients: 8, clientsPerAddress: 2, idleInCrowdMs: 200 });
    const held: Client[] = [];
    for (let n = 0; n < 8; n += 1) held.push(await greeted(port, `127.0.0.${100 + (n >> 1)}`));
    await eventually(async () => expect(await handOver(port, NEIGHBOUR, address)).toMatch(/^250 /));
    expect(await held[0]?.rest()).toMatch(/^421 4\.4\.2 /);
    expect(await held[7]?.ask("NOOP")).toMatch(/^250 /);
  });

  test("a connection that used STARTTLS is given back when it closes", async () => {
    const service = await open({ SMTP_CONNECTIONS_PER_ADDRESS: "1" });
    const { port } = await service.listen();
    for (let round = 0; round < 3; round += 1) {
      const client = await eventually(() => greeted(port, ATTACKER));
      expect(await client.ask("STARTTLS")).toMatch(/^220 /);
      client.socket.removeAllListeners("data");
      const secure = connectTls({ socket: client.socket, rejectUnauthorized: false });
      await new Promise((resolve) => secure.once("secureConnect", resolve));
      secure.destroy();
    }
    await eventually(() => greeted(port, ATTACKER));
  });
});

describe("memory", () => {
  test("unfinished mails of one address hold a quarter, and the largest mail of another fits", async () => {
    const service = await open({ SMTP_MAX_BYTES: "200000" });
    const { address } = await addMailbox(service);
    const { port } = await service.listen({ bufferedBytes: 800_000 });
    const line = `${"x".repeat(78)}\r\n`;
    const held = await Promise.all(
      Array.from({ length: 11 }, async () => {
        const client = await speakUpToData(port, address, ATTACKER);
        keep(client);
        expect(await client.ask("DATA")).toMatch(/^354/);
        client.write(line.repeat(1_000));
        return client;
      }),
    );
    await eventually(async () => {
      const client = await greeted(port, ATTACKER);
      const reply = await client.ask("MAIL FROM:<a@example.org> SIZE=100000");
      client.socket.destroy();
      expect(reply).toMatch(/^452 4\.3\.1 Too much mail in progress from your address/);
    });
    expect(await handOver(port, NEIGHBOUR, address, line.repeat(2_400))).toMatch(/^250 /);
    const replies = await Promise.all(held.map((client) => client.ask("\r\n.")));
    expect(replies.filter((reply) => reply.startsWith("250 ")).length).toBeLessThanOrEqual(2);
    expect(replies.filter((reply) => reply.startsWith("452 4.3.1 ")).length).toBeGreaterThanOrEqual(9);
    // All of it is given back.
    expect(await handOver(port, ATTACKER, address, line.repeat(2_400))).toMatch(/^250 /);
  });
});

describe("memory that unfinished mails of several addresses hold", () => {
  test("is given to others from those that take longest", async () => {
    const service = await open({ SMTP_MAX_BYTES: "200000" });
    const { address } = await addMailbox(service);
    const { port } = await service.listen({ bufferedBytes: 800_000, dataInCrowdMs: 200 });
    const line = `${"x".repeat(78)}\r\n`;
    const held: Client[] = [];
    for (let n = 0; n < 4; n += 1) {
      const client = keep(await speakUpToData(port, address, `127.0.0.${100 + n}`));
      expect(await client.ask("DATA")).toMatch(/^354/);
      client.write(line.repeat(2_450));
      held.push(client);
    }
    await eventually(async () => expect(await handOver(port, NEIGHBOUR, address, line.repeat(2_400))).toMatch(/^250 /));
    expect(await held[0]?.rest()).toMatch(/^421 4\.4\.2 /);
    expect(await held[3]?.ask("\r\n.")).toMatch(/^250 /);
  });
});

describe("a large mail to many", () => {
  test("is refused at the recipient that is too many, or at its end if its size was not announced", async () => {
    const service = await open({ SMTP_MAX_BYTES: "200000" });
    const boxes = await Promise.all(Array.from({ length: 4 }, () => addMailbox(service)));
    const { port } = await service.listen({ copiedBytes: 500_000 });
    const client = await greeted(port, NEIGHBOUR);
    const rcpt = async (size: string) => {
      await client.ask(`MAIL FROM:<a@example.org>${size}`);
      const replies: string[] = [];
      for (const { address } of boxes) replies.push((await client.ask(`RCPT TO:<${address}>`)).slice(0, 9));
      return replies;
    };
    const body = `${"x".repeat(78)}\r\n`.repeat(2_000);
    expect(await rcpt(" SIZE=160000")).toEqual(["250 2.1.5", "250 2.1.5", "250 2.1.5", "452 4.5.3"]);
    await client.ask("DATA");
    expect(await client.ask(`Subject: x\r\n\r\n${body}.`)).toMatch(/^250 /);
    expect(await rcpt("")).toEqual(Array(4).fill("250 2.1.5"));
    await client.ask("DATA");
    expect(await client.ask(`Subject: y\r\n\r\n${body}.`)).toMatch(/^452 4\.5\.3 /);
    expect((await stored(service)).map(({ subject }) => subject)).toEqual(["x", "x", "x"]);
  });
});

describe("time", () => {
  test("a byte at a time does not extend the time for a command", async () => {
    const service = await open();
    const { port } = await service.listen({ commandMs: 400 });
    const client = await greeted(port, ATTACKER);
    const trickle = setInterval(() => client.write("N"), 20);
    expect(await client.rest()).toMatch(/^421 4\.4\.2 No complete command in time/);
    clearInterval(trickle);
  });

  test("a byte at a time does not extend the time for a mail", async () => {
    const service = await open();
    const { address } = await addMailbox(service);
    const { port } = await service.listen({ dataMs: 400 });
    const client = await speakUpToData(port, address, ATTACKER);
    keep(client);
    await client.ask("DATA");
    const trickle = setInterval(() => client.write("x"), 20);
    expect(await client.rest()).toMatch(/^421 4\.4\.2 The mail took too long/);
    clearInterval(trickle);
    expect(await stored(service)).toEqual([]);
  });

  test("a mail under way is not cut by the time for a command", async () => {
    const service = await open();
    const { address } = await addMailbox(service);
    const { port } = await service.listen({ commandMs: 300 });
    const client = await speakUpToData(port, address, NEIGHBOUR);
    keep(client);
    await client.ask("DATA");
    const idle = await greeted(port, NEIGHBOUR);
    expect(await idle.rest()).toMatch(/^421 4\.4\.2 /);
    expect(await client.ask("Subject: x\r\n\r\nHello\r\n.")).toMatch(/^250 /);
  });
});

describe("commands", () => {
  test("without a mail are bounded", async () => {
    const service = await open();
    const { port } = await service.listen();
    const client = await greeted(port, ATTACKER);
    client.write("NOOP\r\n".repeat(5_000));
    const replies = (await client.rest()).trimEnd().split("\r\n");
    expect(replies).toHaveLength(2_000);
    expect(replies.at(-1)).toMatch(/^421 4\.7\.0 Too many commands/);
  });

  test("that fail are bounded", async () => {
    const service = await open();
    const { port } = await service.listen();
    const client = await greeted(port, ATTACKER);
    client.write("MAIL FROM:<\r\n".repeat(500));
    const replies = (await client.rest()).trimEnd().split("\r\n");
    expect(replies).toHaveLength(101);
    expect(replies.at(-1)).toMatch(/^421 4\.7\.0 Too many errors/);
  });

  test("longer than 4,096 octets end the session", async () => {
    const service = await open();
    const { port } = await service.listen();
    const client = await greeted(port, ATTACKER);
    client.write("x".repeat(10_000));
    expect(await client.rest()).toMatch(/^421 /);
  });

  test("mails of one session are bounded, and a new session goes on", async () => {
    const service = await open();
    const { address } = await addMailbox(service);
    const { port } = await service.listen({ mailsPerSession: 2 });
    const client = await greeted(port, ATTACKER);
    for (let n = 0; n < 2; n += 1) {
      await client.ask("MAIL FROM:<a@example.org>");
      await client.ask(`RCPT TO:<${address}>`);
      await client.ask("DATA");
      expect(await client.ask(`Subject: ${n}\r\n\r\nHello\r\n.`)).toMatch(/^250 /);
    }
    expect(await client.ask("MAIL FROM:<a@example.org>")).toMatch(/^421 4\.7\.0 Too many mails/);
    expect(await handOver(port, ATTACKER, address)).toMatch(/^250 /);
  });
});

describe("TLS handshakes", () => {
  test("that are never finished are bounded, end in time and are given back", async () => {
    const service = await open();
    const { port } = await service.listen({ handshakes: 8, commandMs: 1_000 });
    const held = await Promise.all(Array.from({ length: 3 }, () => greeted(port, ATTACKER)));
    const replies = await Promise.all(held.map((client) => client.ask("STARTTLS")));
    expect(replies.sort().map((reply) => reply.slice(0, 9))).toEqual(["220 2.0.0", "220 2.0.0", "454 4.7.0"]);
    const neighbour = await greeted(port, NEIGHBOUR);
    expect(await neighbour.ask("STARTTLS")).toMatch(/^220 /);
    for (const client of held) await client.rest();
    await eventually(async () => {
      const client = await greeted(port, ATTACKER);
      expect(await client.ask("STARTTLS")).toMatch(/^220 /);
    });
  });

  test("that are never finished do not hold up a stop", async () => {
    const service = await open();
    const listener = await service.listen();
    const client = await greeted(listener.port, ATTACKER);
    expect(await client.ask("STARTTLS")).toMatch(/^220 /);
    client.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
    await listener.close();
    await client.rest();
  });
});
