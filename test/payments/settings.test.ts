// Settings of payments: what must be there together, and that real money takes two words of the operator.
import { describe, expect, test } from "vitest";
import { readSettings } from "#server/base/env.ts";

const ON = {
  PAYMENTS_ENABLED: "true",
  PAYMENTS_RPC_URL: "http://127.0.0.1:9",
  PAYMENTS_PAY_TO: "0x1111111111111111111111111111111111111111",
};
const MAINNET = {
  ...ON,
  PAYMENTS_NETWORK: "eip155:8453",
  PAYMENTS_ALLOW_MAINNET: "true",
  PAYMENTS_FACILITATOR_URL: "https://api.cdp.coinbase.com/platform/v2/x402",
};

test("off by default, and on the test network when it is on", () => {
  expect(readSettings({})).toMatchObject({ PAYMENTS_ENABLED: false, PAYMENTS_NETWORK: "eip155:84532" });
  expect(readSettings(ON)).toMatchObject({ PAYMENTS_PRICE_PER_MAILBOX: "100000" });
  expect(readSettings(MAINNET)).toMatchObject({ PAYMENTS_NETWORK: "eip155:8453" });
  expect(readSettings({ ...MAINNET, PAYMENTS_ENABLED: "false", PAYMENTS_ALLOW_MAINNET: "" })).toBeDefined();
});

describe("refused", () => {
  test.each<[string, object, RegExp]>([
    ["no node", { ...ON, PAYMENTS_RPC_URL: "" }, /PAYMENTS_RPC_URL: required with PAYMENTS_ENABLED=true/],
    ["no payee", { ...ON, PAYMENTS_PAY_TO: "" }, /PAYMENTS_PAY_TO: required/],
    ["a payee that is no address", { ...ON, PAYMENTS_PAY_TO: "0x12" }, /PAYMENTS_PAY_TO: an address/],
    ["no price", { ...ON, PAYMENTS_PRICE_PER_MAILBOX: "0" }, /PAYMENTS_PRICE_PER_MAILBOX/],
    ["a price with a point", { ...ON, PAYMENTS_PRICE_PER_MAILBOX: "0.1" }, /PAYMENTS_PRICE_PER_MAILBOX/],
    ["another network", { ...ON, PAYMENTS_NETWORK: "eip155:1" }, /PAYMENTS_NETWORK/],
    [
      "credentials for all to read",
      { ...ON, PAYMENTS_FACILITATOR_URL: "https://a:b@c.example" },
      /without credentials/,
    ],
    [
      "a URL that ends a field",
      { ...ON, PAYMENTS_FACILITATOR_URL: "https://c.example/;x=y" },
      /PAYMENTS_FACILITATOR_URL/,
    ],
    ["mainnet by one word", { ...MAINNET, PAYMENTS_ALLOW_MAINNET: "false" }, /PAYMENTS_ALLOW_MAINNET: must be true/],
    ["mainnet by the test facilitator", { ...MAINNET, PAYMENTS_FACILITATOR_URL: "" }, /the default is for the test/],
    ...[
      "https://x402.org/facilitator/",
      "https://X402.org:443/facilitator//",
      "https://x402.org/x/../facilitator?",
    ].map((url): [string, object, RegExp] => [
      `mainnet by the test facilitator, written as ${url}`,
      { ...MAINNET, PAYMENTS_FACILITATOR_URL: url },
      /the default is for the test/,
    ]),
    ["mainnet in the clear", { ...MAINNET, PAYMENTS_FACILITATOR_URL: "http://f.example" }, /must be https/],
    ["half of CDP's keys", { ...MAINNET, CDP_API_KEY_ID: "x" }, /CDP_API_KEY_SECRET: required with CDP_API_KEY_ID/],
  ])("%s", (_name, environment, why) => {
    expect(() => readSettings(environment as Record<string, string>)).toThrow(why);
  });

  test("and no secret of it is printed", () => {
    const bad = { ...ON, PAYMENTS_RPC_URL: "ftp://node.example/secret-key" };
    expect(() => readSettings(bad)).toThrow(/^(?!.*secret-key)/s);
  });
});
