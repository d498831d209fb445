// The adapter on Node's resolver against a DNS server on loopback: the contract, what it keeps, and when it stops asking.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import packet from "dns-packet";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { createDnsResolver } from "#server/adapters/dns-resolver.ts";
import type { Dns } from "#server/base/ports/dns.ts";
import { type DnsServer, startDnsServer } from "#test/support/dns-server.ts";
import type { Zone } from "#test/support/zone.ts";
import { dnsContract } from "./contract.ts";

type Rig = { dns: Dns; server: DnsServer; close(): Promise<void> };

const PROBED_TWICE_MS = 40_000;
/** Below the range from which the system assigns ports: no other program takes a closed port before it opens again. */
const KEPT_PORTS = { from: 20_000, count: 10_000 };

async function start(zone: Zone, port?: number): Promise<Rig> {
  const server = await startDnsServer(zone, port);
  const dns = createDnsResolver({ servers: [server.address] });
  return {
    dns,
    server,
    async close() {
      dns.close();
      await server.close();
    },
  };
}

dnsContract("the resolver", start);

describe("the resolver", () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  const code = (promise: Promise<unknown>) => promise.then(() => "found").catch((error) => error.code);

  test("asks once for what it knows, found or not, and for what is being asked", async () => {
    rig = await start({ "example.com": { A: ["192.0.2.1"] } });
    const { dns, server } = rig;
    await Promise.all([dns.resolve("example.com", "A"), dns.resolve("EXAMPLE.com", "A")]);
    await dns.resolve("example.com", "A");
    expect(await code(dns.resolve("nowhere.example", "A"))).toBe("ENOTFOUND");
    expect(await code(dns.resolve("nowhere.example", "A"))).toBe("ENOTFOUND");
    expect(server.asked.map((asked) => asked.toLowerCase())).toEqual(["a example.com", "a nowhere.example"]);
  });

  test("asks again after a temporary failure", async () => {
    rig = await start({ "broken.example": { fails: "ESERVFAIL" } });
    const { dns, server } = rig;
    await code(dns.resolve("broken.example", "A"));
    const before = server.asked.length;
    await code(dns.resolve("broken.example", "A"));
    expect(server.asked.length).toBeGreaterThan(before);
  });

  test("stops asking a server that is gone", async () => {
    const port = KEPT_PORTS.from + Math.floor(Math.random() * KEPT_PORTS.count);
    rig = await start({ "example.com": { A: ["192.0.2.1"] } }, port);
    const { dns, server } = rig;
    await server.close();
    rig = { ...rig, close: async () => dns.close() };
    for (let i = 0; i < 5; i += 1)
      expect(await code(dns.resolve(`${i}.example.com`, "A"))).toMatch(/ECONNREFUSED|ETIMEOUT/);
    // Once the question for the root's records has failed as well.
    await expect.poll(() => code(dns.resolve("more.example.com", "A"))).toBe("ETIMEOUT");
    const back = await startDnsServer({ "later.example.com": { A: ["192.0.2.1"] } }, port);
    expect(await code(dns.resolve("later.example.com", "A"))).toBe("ETIMEOUT");
    expect(back.asked).toEqual([]);
    await back.close();
  });

  test(
    "asks by itself whether a silent server answers again, and lets no query wait for it",
    async () => {
      const probes: string[] = [];
      const silent = createSocket("udp4", (question) => {
        const { type, name } = packet.decode(question).questions?.[0] ?? {};
        if (type === "NS" && (name === "." || name === "")) probes.push(type);
      });
      silent.bind(0, "127.0.0.1");
      await once(silent, "listening");
      const dns = createDnsResolver({ servers: [`127.0.0.1:${silent.address().port}`] });
      onTestFinished(() => {
        dns.close();
        silent.close();
      });
      expect(await code(dns.resolve("a.example", "A"))).toBe("ETIMEOUT");
      // Each probe is one query, sent twice.
      await expect.poll(() => probes.length, { timeout: PROBED_TWICE_MS }).toBeGreaterThan(2);
      const seen: string[] = [];
      silent.on("message", (question) => {
        seen.push(packet.decode(question).questions?.[0]?.name ?? "");
      });
      expect(await code(dns.resolve("b.example", "A"))).toBe("ETIMEOUT");
      expect(seen).not.toContain("b.example");
    },
    PROBED_TWICE_MS,
  );

  test("goes on asking a server that is silent only where a sender wants it to be", async () => {
    rig = await start({ "hostile.example": { fails: "EREFUSED" }, "example.com": { A: ["192.0.2.1"] } });
    const { dns, server } = rig;
    for (let i = 0; i < 6; i += 1) {
      for (const type of ["A", "TXT", "MX", "AAAA", "PTR"] as const) await code(dns.resolve("hostile.example", type));
    }
    expect(server.asked).toContain("NS .");
    expect(await dns.resolve("example.com", "A")).toEqual(["192.0.2.1"]);
  });

  test("ends what is under way when it is closed", async () => {
    rig = await start({ "silent.example": { fails: "ETIMEOUT" } });
    const asked = code(rig.dns.resolve("silent.example", "A"));
    rig.dns.close();
    expect(await asked).toBe("ECANCELLED");
  });
});
