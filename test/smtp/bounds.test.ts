// The listener under stress: an unavailable database, sessions that never end, too many clients, and a clean stop.
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { addMailbox, type Inbound, openInbound, speak, speakUpToData, stored } from "../support/inbound.ts";

let inbound: Inbound | undefined;
let gate: Awaited<ReturnType<typeof openGate>> | undefined;

afterEach(async () => {
  await gate?.open();
  await inbound?.close();
  await gate?.close();
  [inbound, gate] = [undefined, undefined];
});

/** A way to the database: `refuse` shuts it, `drop` takes connections and lets go of them, `open` lets all through. */
async function openGate(target: () => NetConnectOpts) {
  const sockets = new Set<Socket>();
  let dropping = false;
  const server: Server = createServer((socket) => {
    if (dropping) return socket.destroy();
    const upstream = connect(target());
    for (const each of [socket, upstream]) {
      sockets.add(each);
      each.on("error", () => each.destroy()).on("close", () => sockets.delete(each));
    }
    socket.pipe(upstream).pipe(socket);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  await listen(0);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const { port } = address;
  return {
    port,
    refuse() {
      dropAll();
      return new Promise((resolve) => server.close(resolve));
    },
    drop() {
      dropping = true;
      dropAll();
    },
    async open() {
      dropping = false;
      if (!server.listening) await listen(port);
    },
    close() {
      dropAll();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Where a database URL leads: a host, or a socket folder in one of libpq's two forms. */
function targetOf(url: URL): NetConnectOpts {
  const host = decodeURIComponent(url.searchParams.get("host") ?? url.hostname);
  const port = url.searchParams.get("port") ?? (url.port || "5432");
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port: Number(port) };
}

async function openBehindGate() {
  let target: NetConnectOpts = { port: 0 };
  gate = await openGate(() => target);
  const { port } = gate;
  inbound = await openInbound({
    databaseUrl(url) {
      const parsed = new URL(url);
      target = targetOf(parsed);
      parsed.search = "";
      parsed.hostname = "127.0.0.1";
      parsed.port = String(port);
      return parsed.href;
    },
  });
  return inbound;
}

describe("while the database is away", () => {
  test.each(["refuse", "drop"] as const)(
    "%s: 451 at RCPT and DATA, 421 at connect, and all is well after",
    async (way) => {
      const service = await openBehindGate();
      const { port } = await service.listen({ lookUpMs: 2_000, storeMs: 2_000 });
      const { address } = await addMailbox(service);
      const client = await speakUpToData(port, address);
      await gate?.[way]();
      expect(await client.ask("RCPT TO:<other@mail.localhost>")).toMatch(/^451 4\.3\.0 /);
      await client.ask("DATA");
      expect(await client.ask("Subject: x\r\n\r\n.")).toMatch(/^451 4\.3\.0 /);
      const late = await speak(port);
      expect(await late.read()).toMatch(/^421 /);
      expect(await late.rest()).toBe("");
      await gate?.open();
      const sendAgain = async () => {
        const again = await speakUpToData(port, address);
        await again.ask("DATA");
        return again.ask("Subject: again\r\n\r\n.");
      };
      // A busy machine may need longer than this service gives the database.
      await expect.poll(sendAgain, { interval: 200 }).toMatch(/^250 /);
      // What was answered with 451 may have been on its way to the database nevertheless; nothing acknowledged is missing.
      expect((await stored(service)).map((row) => row.subject)).toContain("again");
    },
  );

  test("a backend that is ended in mid-transaction costs a 451 and stores nothing", async () => {
    inbound = await openInbound();
    const { port } = await inbound.listen();
    const { id, address } = await addMailbox(inbound);
    const client = await speakUpToData(port, address);
    await client.ask("DATA");
    const { sql } = inbound.ctx;
    let answer: Promise<string> | undefined;
    await sql.begin(async (tx) => {
      await tx`select 1 from inboxes where id = ${id} for update`;
      answer = client.ask("Subject: x\r\n\r\n.");
      for (;;) {
        const ended = await sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%for share%'`;
        if (ended.length > 0) break;
      }
    });
    expect(await answer).toMatch(/^451 4\.3\.0 /);
    expect(await stored(inbound)).toEqual([]);
  });

  test("no space left is 452", async () => {
    inbound = await openInbound();
    const { port } = await inbound.listen();
    const { address } = await addMailbox(inbound);
    await inbound.ctx.sql.unsafe(`create function fail() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
    await inbound.ctx.sql`create trigger fail before insert on raw_messages for each row execute function fail()`;
    const client = await speakUpToData(port, address);
    await client.ask("DATA");
    expect(await client.ask("Subject: x\r\n\r\n.")).toMatch(/^452 4\.3\.1 /);
    client.socket.destroy();
  });

  test("an error that is not the database's state costs one mail a 451 that says so", async () => {
    inbound = await openInbound();
    const { port } = await inbound.listen();
    const { address } = await addMailbox(inbound);
    await inbound.ctx.sql.unsafe(`create function fail() returns trigger language plpgsql as
      $$ begin raise exception 'a fault of the program'; end $$`);
    await inbound.ctx.sql`create trigger fail before insert on raw_messages for each row execute function fail()`;
    const client = await speakUpToData(port, address);
    await client.ask("DATA");
    expect(await client.ask("Subject: x\r\n\r\n.")).toMatch(/^451 4\.3\.0 The mail could not be processed/);
    await inbound.ctx.sql`drop trigger fail on raw_messages`;
    await client.ask("MAIL FROM:<a@else.example>");
    await client.ask(`RCPT TO:<${address}>`);
    await client.ask("DATA");
    expect(await client.ask("Subject: x\r\n\r\n.")).toMatch(/^250 /);
    client.socket.destroy();
  });
});

describe("bounds", () => {
  test("on clients: one too many gets a temporary refusal", async () => {
    inbound = await openInbound();
    const { port } = await inbound.listen({ clients: 2, clientsPerAddress: 3 });
    const two = [await speak(port), await speak(port)];
    for (const client of two) expect(await client.read()).toMatch(/^220/);
    const third = await speak(port);
    expect(await third.read()).toMatch(/^421 4\.3\.2 /);
    two[0]?.socket.destroy();
    await expect.poll(async () => (await speak(port)).read()).toMatch(/^220/);
  });

  test("on silence and on the length of a session", async () => {
    inbound = await openInbound();
    const idle = await inbound.listen({ commandMs: 200 });
    const silent = await speak(idle.port);
    expect(await silent.read()).toMatch(/^220/);
    expect(await silent.read()).toMatch(/^421 4\.4\.2 /);
    const brief = await inbound.listen({ sessionMs: 400 });
    const chatty = await speak(brief.port);
    await chatty.read();
    const talking = setInterval(() => chatty.write("NOOP\r\n"), 20);
    expect(await chatty.rest()).toMatch(/421 4\.4\.2 Session too long\r\n$/);
    clearInterval(talking);
  });

  test("on the octets that unfinished mails hold together", async () => {
    inbound = await openInbound({ settings: { SMTP_MAX_BYTES: "100000" } });
    const { address } = await addMailbox(inbound);
    const { port } = await inbound.listen({ bufferedBytes: 100_000 });
    const second = await speak(port);
    await second.read();
    await second.ask("EHLO x");
    const declaring = async (size: number) => {
      await second.ask("RSET");
      return second.ask(`MAIL FROM:<a@example.org> SIZE=${size}`);
    };
    const holder = await speakUpToData(port, address, "127.0.0.2");
    await holder.ask("DATA");
    holder.write("x".repeat(60_000));
    await expect.poll(() => declaring(50_000)).toMatch(/^452 4\.3\.1 /);
    expect(await declaring(0)).toMatch(/^250/);
    await second.ask(`RCPT TO:<${address}>`);
    await second.ask("DATA");
    second.write("y".repeat(60_000));
    expect(await second.ask("\r\n.")).toMatch(/^452 4\.3\.1 /);
    // A client that disconnects in the middle of a mail gives its share back.
    holder.socket.destroy();
    await expect.poll(() => declaring(100_000)).toMatch(/^250/);
    await second.ask(`RCPT TO:<${address}>`);
    await second.ask("DATA");
    second.write("y".repeat(60_000));
    expect(await second.ask("\r\n.")).toMatch(/^250 /);
    expect(await stored(inbound)).toHaveLength(1);
  });
});

describe("a stop", () => {
  test("sends idle sessions away, lets a mail under way be finished, and takes no new ones", async () => {
    inbound = await openInbound();
    const listener = await inbound.listen();
    const { address } = await addMailbox(inbound);
    const idle = await speak(listener.port);
    await idle.read();
    const busy = await speakUpToData(listener.port, address);
    await busy.ask("DATA");
    busy.write("Subject: under way\r\n\r\n");
    const stopped = listener.close();
    expect(await idle.read()).toMatch(/^421 4\.3\.2 /);
    await expect(speak(listener.port).then((client) => client.read())).resolves.toMatch(/^closed/);
    expect(await busy.ask(".")).toMatch(/^250 2\.6\.0 /);
    expect(await busy.read()).toMatch(/^421 4\.3\.2 /);
    await stopped;
    expect((await stored(inbound)).map((row) => row.subject)).toEqual(["under way"]);
  });

  test("waits for no sender without a limit", async () => {
    inbound = await openInbound();
    const listener = await inbound.listen({ closeMs: 200 });
    const { address } = await addMailbox(inbound);
    const busy = await speakUpToData(listener.port, address);
    await busy.ask("DATA");
    busy.write("Subject: never ends\r\n");
    await listener.close();
    expect(await busy.rest()).toMatch(/^(421 .*\r\n)?$/);
    expect(await stored(inbound)).toEqual([]);
  });
});
