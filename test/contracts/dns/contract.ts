// The contract of every Dns: one suite for the tests' zones and for the adapter.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Dns } from "#server/base/ports/dns.ts";
import type { Zone } from "#test/support/zone.ts";

export type Rig = { dns: Dns; close(): Promise<void> };

const ZONE: Zone = {
  "example.com": {
    A: ["192.0.2.1", "192.0.2.2"],
    AAAA: ["2001:db8::1"],
    MX: [
      { exchange: "mx1.example.com", priority: 10 },
      { exchange: "mx2.example.com", priority: 20 },
    ],
    TXT: [["v=spf1 mx -all"], ["a".repeat(255), "b".repeat(200)]],
  },
  "1.2.0.192.in-addr.arpa": { PTR: ["mx1.example.com"] },
  "sel._domainkey.example.com": { CNAME: ["keys.provider.example"] },
  "keys.provider.example": { TXT: [["v=DKIM1; p="]] },
  "_spf.under.example.com": { TXT: [["v=spf1 -all"]] },
  "silent.example": { fails: "ETIMEOUT" },
  "broken.example": { fails: "ESERVFAIL" },
  "closed.example": { fails: "EREFUSED" },
};

export function dnsContract(name: string, start: (zone: Zone) => Promise<Rig>): void {
  describe(`${name} as a Dns`, () => {
    let rig: Rig;
    beforeEach(async () => {
      rig = await start(ZONE);
    });
    afterEach(() => rig.close());

    test("gives the strings of each TXT record", async () => {
      const records = await rig.dns.resolve("example.com", "TXT");
      expect(new Set(records.map((strings) => strings.join("|")))).toEqual(
        new Set(["v=spf1 mx -all", `${"a".repeat(255)}|${"b".repeat(200)}`]),
      );
    });

    test("gives addresses", async () => {
      expect((await rig.dns.resolve("example.com", "A")).toSorted()).toEqual(["192.0.2.1", "192.0.2.2"]);
      expect(await rig.dns.resolve("example.com", "AAAA")).toEqual(["2001:db8::1"]);
    });

    test("gives mail exchangers with their priority", async () => {
      const records = await rig.dns.resolve("example.com", "MX");
      expect(records.map(({ exchange, priority }) => `${priority} ${exchange}`).toSorted()).toEqual([
        "10 mx1.example.com",
        "20 mx2.example.com",
      ]);
    });

    test("gives names of an address and of an alias", async () => {
      expect(await rig.dns.resolve("1.2.0.192.in-addr.arpa", "PTR")).toEqual(["mx1.example.com"]);
      expect(await rig.dns.resolve("sel._domainkey.example.com", "CNAME")).toEqual(["keys.provider.example"]);
    });

    test("follows an alias", async () => {
      expect(await rig.dns.resolve("sel._domainkey.example.com", "TXT")).toEqual([["v=DKIM1; p="]]);
    });

    test("takes names in any case", async () => {
      expect(await rig.dns.resolve("Example.COM", "AAAA")).toEqual(["2001:db8::1"]);
    });

    test.each([
      ["a name that does not exist", "nowhere.example", "ENOTFOUND"],
      ["a name without such records", "example.com", "ENODATA"],
      ["a name above one that exists", "under.example.com", "ENODATA"],
      ["a name with an empty label", "a..example.com", "EBADNAME"],
      ["a name with a label of 64", `${"a".repeat(64)}.example.com`, "EBADNAME"],
      ["a name of 254", `${"a.".repeat(125)}info`, "EBADNAME"],
      ["a name whose servers are silent", "silent.example", "ETIMEOUT"],
      ["a name whose servers fail", "broken.example", "ESERVFAIL"],
      ["a name whose servers refuse", "closed.example", "EREFUSED"],
    ])("rejects for %s", async (_case, asked, code) => {
      await expect(rig.dns.resolve(asked, "CNAME")).rejects.toMatchObject({ code });
    });

    test("answers nothing once it is closed", async () => {
      await rig.dns.resolve("example.com", "A");
      rig.dns.close();
      await expect(rig.dns.resolve("example.com", "A")).rejects.toMatchObject({ code: "ECANCELLED" });
    });
  });
}
