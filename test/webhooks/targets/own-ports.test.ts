// What is never dialled: addresses of this machine at the ports of this service, and its database, however a name leads there.
import { networkInterfaces } from "node:os";
import { Agent } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { dialFor } from "#server/webhooks/targets/dial.ts";
import { createOwnPorts } from "#server/webhooks/targets/own-ports.ts";
import { type SealedNetwork, sealNetwork } from "./sealed-network.ts";

const TIMEOUT_MS = 5_000;
const PUBLIC_URL = "https://mail.example.com";
const DATABASE = "postgres://u:p@ss:w@10.0.0.5:6543,db.corp.example/mailberth?sslmode=require";
const own = createOwnPorts([3000, 2525, 0], { publicUrl: PUBLIC_URL, databaseUrls: [DATABASE] });

let network: SealedNetwork | undefined;
afterEach(async () => {
  await network?.close();
  network = undefined;
});

describe("addresses at port 3000", () => {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  test.each([
    ...["127.0.0.1", "127.255.0.9", "0.0.0.0", "::", "::1", "::ffff:127.0.0.1", "::ffff:0:0", "::ffff:7f00:1"],
    ...interfaces.map(({ address, scopeid }) => (scopeid ? `${address}%${scopeid}` : address)),
  ])("%s is this machine", async (ip) => {
    expect(await own.isReached(ip, "hooks.example.com", 3000)).toBe(true);
    expect(await own.isReached(ip, "hooks.example.com", 3001)).toBe(false);
  });

  test.each(["126.255.255.255", "128.0.0.1", "1.0.0.0", "8.8.8.8", "::2", "2606:4700::1111", "::ffff:8.8.8.8"])(
    "%s is not",
    async (ip) => expect(await own.isReached(ip, "hooks.example.com", 3000)).toBe(false),
  );
});

test("a port counts once it is bound", async () => {
  const ports = createOwnPorts([0], { publicUrl: PUBLIC_URL, databaseUrls: ["postgres:///mailberth"] });
  expect(ports.isNamed("127.0.0.1", 40_123)).toBe(false);
  ports.add(40_123);
  expect(ports.isNamed("127.0.0.1", 40_123)).toBe(true);
  expect(ports.isNamed("127.0.0.1", 0)).toBe(false);
});

test.each(["postgres://u:p@%2Frun%2Fpostgresql/m", "postgres://u:p@localhost/m?host=/run/postgresql"])(
  "%s has no port",
  (databaseUrl) => {
    expect(createOwnPorts([], { publicUrl: PUBLIC_URL, databaseUrls: [databaseUrl] }).isNamed("127.0.0.1", 5432)).toBe(
      false,
    );
  },
);

describe("plainly visible in a URL", () => {
  test.each([
    ["mail.example.com", 443, true],
    ["mail.example.com", 80, false],
    ["hooks.mail.example.com", 443, false],
    ["10.0.0.5", 6543, true],
    ["10.0.0.5", 5432, false],
    ["db.corp.example", 5432, true],
    ["db.corp.example", 443, false],
  ])("%s:%i is %s", (host, port, expected) => expect(own.isNamed(host, port)).toBe(expected));
});

describe("a name", () => {
  async function send(origin: string): Promise<string | number> {
    network ??= await sealNetwork(
      ["10.9.9.9", "10.0.0.5"],
      {},
      {
        "loop.corp.example": ["127.0.0.1"],
        "mixed.corp.example": ["10.9.9.9", "127.0.0.1"],
        "alias.corp.example": ["10.0.0.7"],
        "db.corp.example": ["10.0.0.7"],
        "good.corp.example": ["10.9.9.9"],
      },
    );
    const agent = new Agent({ connect: dialFor({ settings: { WEBHOOK_TARGETS: "any" }, ownPorts: own }, TIMEOUT_MS) });
    try {
      const { statusCode, body } = await agent.request({ origin, path: "/", method: "POST" });
      await body.dump();
      return statusCode;
    } catch (error) {
      return String((error as { code?: string }).code);
    } finally {
      await agent.destroy();
    }
  }

  test.each(["http://loop.corp.example:3000", "http://mixed.corp.example:2525", "http://alias.corp.example:5432"])(
    "%s leads here and is not dialled",
    async (origin) => {
      expect(await send(origin)).toBe("ADDRESS_REFUSED");
      expect(network?.dialled).toEqual([]);
    },
  );

  test("that leads elsewhere is dialled, at the same ports", async () => {
    expect(await send("http://good.corp.example:3000")).toBe(200);
    expect(await send("http://good.corp.example:5432")).toBe(200);
  });
});
