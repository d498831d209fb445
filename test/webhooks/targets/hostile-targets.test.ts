// Every target of the list is refused when it is registered, or when it is dialled, with a canary untouched; its neighbours pass.
import { Agent } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServiceError } from "#server/base/errors.ts";
import { dialFor } from "#server/webhooks/targets/dial.ts";
import { checkWebhookUrl } from "#server/webhooks/targets/target.ts";
import type { Zone } from "#test/support/zone.ts";
import { CONTROLS, REFUSED_BY_TEXT, SPECIAL_ADDRESSES } from "./hostile-targets.ts";
import { rulesOf } from "./rules.ts";
import { type SealedNetwork, sealNetwork } from "./sealed-network.ts";

const RULES = { WEBHOOK_TARGETS: "public", ALLOW_INSECURE_WEBHOOKS: false } as const;
const TIMEOUT_MS = 20_000;
/** At least as many as the promise says. */
const TARGETS_MIN = 150;
const DNS_LABEL_MAX = 63;
const DNS_NAME_MAX = 253;

const family = (address: string) => (address.includes(":") ? "AAAA" : "A");

function hostOf(url: string): string {
  const host = URL.parse(url)?.hostname ?? "";
  const isName = host.length <= DNS_NAME_MAX && host.split(".").every((label) => label.length <= DNS_LABEL_MAX);
  return isName ? host : "";
}

/** Every name of the list leads to loopback, hooks.example.com to the outside, s0… and c0… to the addresses of the lists. */
const zone: Zone = {
  ...Object.fromEntries(
    Object.values(REFUSED_BY_TEXT).flatMap((urls) => urls.map((url) => [hostOf(url), { A: ["127.0.0.1"] }])),
  ),
  ...Object.fromEntries(SPECIAL_ADDRESSES.map((address, i) => [`s${i}.example.net`, { [family(address)]: [address] }])),
  ...Object.fromEntries(CONTROLS.map((address, i) => [`c${i}.example.net`, { [family(address)]: [address] }])),
  "hooks.example.com": { A: ["8.8.8.8"] },
};

let network: SealedNetwork;
let agent: Agent;
beforeAll(async () => {
  network = await sealNetwork(CONTROLS, zone);
  agent = new Agent({ connect: dialFor(rulesOf(RULES), TIMEOUT_MS), pipelining: 1, keepAliveTimeout: 1 });
});
afterAll(async () => {
  await agent.destroy();
  await network.close();
});

function refusal(url: string): string | undefined {
  try {
    checkWebhookUrl(url, rulesOf(RULES));
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

/** The status of an answer, or the code of the error. */
async function send(url: string): Promise<number | string> {
  try {
    const { statusCode, body } = await agent.request({ ...parts(url), method: "POST", body: "{}" });
    await body.dump();
    return statusCode;
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

function parts(url: string): { origin: string; path: string } {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

test("the list is long enough", () => {
  expect(new Set(Object.values(REFUSED_BY_TEXT).flat()).size).toBeGreaterThanOrEqual(TARGETS_MIN);
});

describe.each(Object.entries(REFUSED_BY_TEXT))("%s", (group, urls) => {
  test.each(urls.map((url) => [url.length > 200 ? `${url.slice(0, 200)}…` : url, url]))("%j", async (_, url) => {
    expect(refusal(url)).toBe("invalid_webhook_url");
    // Even if it were registered, over http, it would not be dialled.
    const parsed = URL.parse(url.replace(/^https/i, "http"));
    if (!parsed || !/^https?:$/.test(parsed.protocol) || group === "shapes") return;
    const before = network.dialled.length;
    expect(await send(parsed.href)).not.toBeTypeOf("number");
    expect(network.dialled.slice(before)).toEqual([]);
    expect(network.canary.connections).toBe(0);
  });
});

describe("an innocent name with one address, which is", () => {
  test.each(SPECIAL_ADDRESSES.map((address, i) => [address, `s${i}.example.net`]))("%s", async (_, name) => {
    expect(refusal(`https://${name}/hook`)).toBeUndefined();
    const before = network.dialled.length;
    for (const scheme of ["http", "https"]) expect(await send(`${scheme}://${name}/hook`)).toBe("ADDRESS_REFUSED");
    expect(network.dialled.slice(before)).toEqual([]);
    expect(network.canary.connections).toBe(0);
  });
});

describe("just outside", () => {
  test.each(CONTROLS.map((address, i) => [address, `c${i}.example.net`]))("%s is reached", async (address, name) => {
    const literal = address.includes(":") ? `[${address}]` : address;
    for (const host of [literal, name]) {
      expect(refusal(`https://${host}/hook`)).toBeUndefined();
      const { connections } = network.reached;
      expect(await send(`http://${host}/hook`)).toBe(200);
      expect(network.reached.connections).toBe(connections + 1);
      expect(network.dialled.at(-1)).toBe(`${address} 80`);
    }
  });

  test.each([443, 8443, 8080, 3000, 1024, 65535])("port %i", async (port) => {
    expect(refusal(`https://hooks.example.com:${port}/hook`)).toBeUndefined();
    expect(await send(`http://hooks.example.com:${port}/hook`)).toBe(200);
    expect(network.dialled.at(-1)).toBe(`8.8.8.8 ${port}`);
  });

  test.each([
    "https://hooks.example.com#@127.0.0.1/",
    "https://hooks.example.com?@127.0.0.1/",
    "https://hooks.example.com/@127.0.0.1",
    "https://hooks.example.com/?url=http://127.0.0.1/",
    "https://hooks.example.com/%0d%0aHost:%20127.0.0.1",
    "https://ｈｏｏｋｓ。example．com/",
    "https://127.0.0.1.example.net/",
  ])("%j, which looks worse than it is, goes to its own host alone", async (url) => {
    zone["127.0.0.1.example.net"] = { A: ["8.8.8.8"] };
    expect(refusal(url)).toBeUndefined();
    expect(await send(url.replace("https", "http"))).toBe(200);
    expect(network.dialled.at(-1)).toBe("8.8.8.8 80");
  });
});

test("the canary would have been touched without the guard", async () => {
  const open = new Agent({ connect: dialFor(rulesOf({ WEBHOOK_TARGETS: "any" }), TIMEOUT_MS) });
  await expect(open.request({ origin: "http://127.0.0.1", path: "/", method: "POST" })).rejects.toThrow();
  await open.destroy();
  expect(network.canary.connections).toBe(1);
  network.canary.connections = 0; // for the tests after this one, in whatever order they run
});
