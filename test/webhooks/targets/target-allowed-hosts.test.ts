// WEBHOOK_ALLOWED_HOSTS: what may be written there, and what it opens, when a URL is registered and when it is dialled.
import { Agent } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { readSettings } from "#server/base/env.ts";
import { ServiceError } from "#server/base/errors.ts";
import { dialFor } from "#server/webhooks/targets/dial.ts";
import { checkWebhookUrl } from "#server/webhooks/targets/target.ts";
import type { Zone } from "#test/support/zone.ts";
import { rulesOf } from "./rules.ts";
import { type SealedNetwork, sealNetwork } from "./sealed-network.ts";

const TIMEOUT_MS = 20_000;
const PRIVATE = ["127.0.0.1", "10.1.2.3", "10.2.0.1", "fd00::5", "192.168.7.7", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3"];

const settingsOf = (hosts: string, more = {}) =>
  readSettings({ HOST: "0.0.0.0", WEBHOOK_ALLOWED_HOSTS: hosts, ...more });

describe("the setting", () => {
  test.each<[string, object]>([
    ["hooks.corp.example", { host: "hooks.corp.example" }],
    ["Hooks.Corp.Example:8443", { host: "hooks.corp.example", port: 8443 }],
    ["*.corp.example", { host: "*.corp.example" }],
    ["*.internal:443", { host: "*.internal", port: 443 }],
    ["intranet", { host: "intranet" }],
    ["my_service:1", { host: "my_service", port: 1 }],
    ["10.1.2.3", { host: "10.1.2.3" }],
    ["10.1.2.3:65535", { host: "10.1.2.3", port: 65_535 }],
    ["10.0.0.0/8", { host: "10.0.0.0", bits: 8 }],
    ["10.0.0.0/0", { host: "10.0.0.0", bits: 0 }],
    ["10.0.0.0/8:5432", { host: "10.0.0.0", bits: 8, port: 5_432 }],
    ["::1", { host: "::1" }],
    ["fd00::/8", { host: "fd00::", bits: 8 }],
    ["[fd00::5]", { host: "fd00::5" }],
    ["[FD00::5]:8443", { host: "fd00::5", port: 8_443 }],
    ["[fd00::/8]:8443", { host: "fd00::", bits: 8, port: 8_443 }],
  ])("takes %s", (text, entry) => expect(settingsOf(text).WEBHOOK_ALLOWED_HOSTS).toEqual([entry]));

  test("takes a list, and none", () => {
    expect(settingsOf(" a.example , 10.0.0.0/8,").WEBHOOK_ALLOWED_HOSTS).toHaveLength(2);
    expect(settingsOf("").WEBHOOK_ALLOWED_HOSTS).toBeUndefined();
  });

  test.each([
    ...[
      "*",
      "*.",
      "*.*.example",
      "a.*.example",
      "a*.example",
      "**.example",
      "https://a.example",
      "a.example/",
      "a.example/24",
    ],
    ...[
      "user@a.example",
      "a example",
      "a..example",
      ".example",
      "example.",
      "-a.example",
      "bücher.example",
      "a.example:",
    ],
    ...[
      "a.example:0",
      "a.example:65536",
      "a.example:x",
      "a.example:-1",
      "a.example:1:2",
      "127.1",
      "2130706433",
      "0x7f.1",
    ],
    ...[
      "1.2.3",
      "1.2.3.4.5",
      "256.1.1.1",
      "010.0.0.1",
      "10.0.0.0/33",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "10.0.0.0/-1",
      "10.0.0.0/a",
    ],
    ...[
      "fd00::/129",
      "fe80::1%eth0",
      "[10.0.0.1]",
      "[a.example]",
      "[::1",
      "::1]",
      "[::1]x",
      "[::1]8443",
      "[::1]:0",
      "a.0x1",
    ],
    ...["10.0.0.1-10.0.0.9", `${"a".repeat(64)}.example`, `${"a.".repeat(130)}example`, "[]:1", "/8", ":80"],
  ])("refuses %s at the start, and says which entry", (text) => {
    expect(() => settingsOf(`good.example,${text}`)).toThrow(
      `WEBHOOK_ALLOWED_HOSTS: ${JSON.stringify(text)} is not a host name, *.name, IP address or range`,
    );
  });
});

function refusal(url: string, hosts: string, more = {}): string | undefined {
  try {
    checkWebhookUrl(url, rulesOf(settingsOf(hosts, more)));
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

let network: SealedNetwork | undefined;
const agents: Agent[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.destroy();
  await network?.close();
  network = undefined;
});

/**
 * The result of a delivery over http. Private addresses count as reached here: the canary is for addresses that are not
 * allowed.
 */
async function send(url: string, hosts: string, zone: Zone = {}, machine?: Record<string, string[]>) {
  network ??= await sealNetwork(["8.8.8.8", ...PRIVATE], zone, machine);
  const agent = new Agent({ connect: dialFor(rulesOf(settingsOf(hosts)), TIMEOUT_MS) });
  agents.push(agent);
  return agent
    .request({ origin: new URL(url.replace(/^https:/, "http:")).origin, path: "/", method: "POST" })
    .then(({ statusCode, body }) => body.dump().then(() => statusCode))
    .catch((error) => String(error.code));
}

const ZONE: Zone = {
  "hooks.corp.example": { A: ["10.1.2.3"] },
  "corp.example": { A: ["10.1.2.3"] },
  "deep.hooks.corp.example": { AAAA: ["fd00::5"] },
  "mixed.example.com": { A: ["8.8.8.8", "10.1.2.3"] },
  "worse.example.com": { A: ["10.1.2.3", "10.2.0.1"] },
  "mapped.example.com": { AAAA: ["::ffff:10.1.2.3"] },
  "hooks.example.com": { A: ["8.8.8.8"] },
};

/** What the machine knows: names that stand in the list are looked up there. */
const MACHINE = {
  "hooks.corp.example": ["10.1.2.3"],
  "hooks.example.com": ["8.8.8.8"],
  localhost: ["127.0.0.1", "::1"],
};

/** Allowed when registered and when dialled. */
test.each([
  ["https://hooks.corp.example:80/", "hooks.corp.example"],
  ["https://HOOKS.corp.example:80/", "hooks.corp.example"],
  ["https://hooks.corp.example:8443/", "hooks.corp.example:8443"],
  ["https://hooks.corp.example:5432/", "hooks.corp.example:5432"],
  ["https://hooks.corp.example:80/", "*.corp.example"],
  ["https://deep.hooks.corp.example:80/", "*.corp.example"],
  ["https://10.1.2.3:80/", "10.1.2.3"],
  ["https://10.1.2.3:80/", "10.1.0.0/16"],
  ["https://167838211:80/", "10.1.0.0/16"],
  ["https://10.1.2.3:5432/", "10.1.0.0/16:5432"],
  ["https://[::ffff:10.1.2.3]:80/", "10.1.0.0/16"],
  ["https://mapped.example.com:80/", "10.1.0.0/16"],
  ["https://[fd00::5]:80/", "fd00::/8"],
  ["https://deep.hooks.corp.example:8443/", "[fd00::/8]:8443"],
  ["https://hooks.corp.example:80/", "10.1.2.3"],
  ["https://hooks.corp.example:6379/", "10.1.2.3:6379"],
  ["https://mixed.example.com:80/", "10.1.0.0/16"],
  ["https://hooks.example.com:80/", "10.1.0.0/16"],
  ["https://hooks.example.com:25/", "hooks.example.com:25"],
])("%s may be a target with %s", async (url, hosts) => {
  expect(refusal(url, hosts)).toBeUndefined();
  expect(await send(url, hosts, ZONE, MACHINE)).toBe(200);
});

/** Refused when dialled, and when registered if `text`. */
test.each([
  ["https://corp.example:80/", "*.corp.example", ""],
  ["https://evilcorp.example:80/", "*.corp.example", ""],
  ["https://hooks.corp.example:80/", "hooks.corp.example:8443", ""],
  ["https://hooks.corp.example:5432/", "hooks.corp.example", "text"],
  ["https://hooks.corp.example:5432/", "*.corp.example", "text"],
  ["https://hooks.example.com:5432/", "10.1.2.3:5432", ""],
  ["https://10.2.0.1:80/", "10.1.0.0/16", "text"],
  ["https://10.1.2.3:80/", "10.1.0.0/16:8443", "text"],
  ["https://10.1.2.3:5432/", "10.1.0.0/16", "text"],
  ["https://10.1.2.3:80/", "hooks.corp.example", "text"],
  ["https://[64:ff9b::10.1.2.3]:80/", "10.0.0.0/8", "text"],
  ["https://[fd00::5]:80/", "10.0.0.0/8", "text"],
  ["https://[::1]:80/", "0.0.0.0/0", "text"],
  ["https://worse.example.com:80/", "10.1.0.0/16", ""],
  ["https://deep.hooks.corp.example:80/", "hooks.corp.example", ""],
  ["https://localhost:80/", "127.0.0.0/8", "text"],
  ["https://intranet:80/", "10.0.0.0/8", "text"],
])("%s may not with %s", async (url, hosts, text) => {
  expect(refusal(url, hosts)).toBe(text ? "invalid_webhook_url" : undefined);
  const code = await send(url, hosts, ZONE, MACHINE);
  expect(code === "ADDRESS_REFUSED" || code === "ENOTFOUND").toBe(true);
  expect(network?.dialled).toEqual([]);
});

test("a name in the list is looked up as the machine does, one below *. by DNS alone", async () => {
  const machine = { intranet: ["192.168.7.7"], "a.corp.example": ["192.168.7.7"] };
  expect(refusal("https://intranet/", "intranet")).toBeUndefined();
  expect(await send("https://intranet/", "intranet", {}, machine)).toBe(200);
  expect(await send("https://a.corp.example/", "*.corp.example")).toBe("ENOTFOUND");
  expect(network?.dialled).toEqual(["192.168.7.7 80"]);
});

test("nothing in the list takes the place of https, or lets through what no mode does", () => {
  expect(refusal("http://10.1.2.3/", "10.0.0.0/8")).toBe("invalid_webhook_url");
  expect(refusal("http://10.1.2.3/", "10.0.0.0/8", { ALLOW_INSECURE_WEBHOOKS: "true" })).toBeUndefined();
  for (const url of [
    "https://u:p@a.example/",
    "https://a.example:0/",
    "https://a.example\\@b/",
    "https://a.example./",
  ]) {
    expect(refusal(url, "a.example,*.example,0.0.0.0/0,::/0")).toBe("invalid_webhook_url");
  }
});
