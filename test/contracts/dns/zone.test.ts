// The tests' own zone keeps the contract that it stands in for.
import { zoneDns } from "#test/support/zone.ts";
import { dnsContract } from "./contract.ts";

dnsContract("the tests' zone", async (zone) => ({ dns: zoneDns(zone), close: async () => {} }));
