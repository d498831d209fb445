// What counts as one client of SMTP: addresses that one customer of a provider has, and filters that pass on mail of others.
import { expect, test } from "vitest";
import { readAddressRange } from "#server/base/client-address.ts";
import { readSettings } from "#server/base/env.ts";
import { type Client, createClients } from "#server/smtp/clients.ts";
import { smtpLimits } from "#server/smtp/limits.ts";

const SETTINGS = readSettings({ DATA_DIR: "/nowhere" });
const FILTER = "192.0.2.25";

const open = (given = {}) => {
  const range = readAddressRange(FILTER);
  return createClients(smtpLimits(SETTINGS, given), range ? [range] : []);
};

test("the networks of a /48 share what one address may have of all", () => {
  const clients = open({ clients: 40, bufferedBytes: 400 });
  const enter = (n: number) => clients.enter(`2001:db8:5:${n.toString(16)}::1`);
  const entered = Array.from({ length: 12 }, (_, n) => enter(n));
  expect(entered.filter((one) => typeof one === "object")).toHaveLength(10);
  expect(entered.slice(10)).toEqual(["address_connections", "address_connections"]);
  expect(clients.enter("2001:db8:6::1")).toBeTypeOf("object");
  const [first, second] = entered as Client[];
  expect([first?.network, first?.site]).toEqual(["2001:db8:5:0::/64", "2001:db8:5::/48"]);
  expect(second?.site).toBe(first?.site);
  if (first) clients.leave(first);
  expect(enter(12)).toBeTypeOf("object");
});

test("recipients that a filter passes on are no guesses of the filter", () => {
  const clients = open();
  const filter = clients.enter(FILTER) as Client;
  const other = clients.enter("192.0.2.26") as Client;
  const misses = (client: Client) => Array.from({ length: 20 }, () => clients.miss(client));
  expect(misses(filter)).not.toContain(true);
  expect(clients.enter(FILTER)).toBeTypeOf("object");
  expect(misses(other)).toContain(true);
  expect(clients.enter("192.0.2.26")).toBe("banned");
});
