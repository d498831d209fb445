// Which addresses count as public: every special range, every way to hide an IPv4 address in IPv6, and controls just outside.
import { describe, expect, test } from "vitest";
import { isPublicAddress } from "#server/webhooks/public-address.ts";

const REFUSED = [
  ["this network", ["0.0.0.0", "0.255.255.255"]],
  ["private 10/8", ["10.0.0.0", "10.255.255.255"]],
  ["carrier NAT", ["100.64.0.0", "100.100.100.200", "100.127.255.255"]],
  ["loopback", ["127.0.0.1", "127.255.255.255", "::1"]],
  ["Azure's host", ["168.63.129.16"]],
  ["link-local and metadata", ["169.254.0.0", "169.254.169.254", "169.254.255.255", "fe80::1", "febf::1"]],
  ["private 172.16/12", ["172.16.0.0", "172.31.255.255"]],
  ["protocol assignments", ["192.0.0.0", "192.0.0.192", "192.0.0.255"]],
  ["documentation", ["192.0.2.1", "198.51.100.255", "203.0.113.0", "2001:db8::1", "3fff::1", "3fff:fff:ffff::1"]],
  ["6to4 relays", ["192.88.99.1"]],
  ["private 192.168/16", ["192.168.0.0", "192.168.255.255"]],
  ["benchmarks", ["198.18.0.0", "198.19.255.255", "2001:2::1"]],
  ["multicast", ["224.0.0.1", "239.255.255.255", "ff02::1"]],
  ["reserved and broadcast", ["240.0.0.0", "255.255.255.255"]],
  ["unspecified", ["::"]],
  ["IPv4-compatible", ["::127.0.0.1", "::10.0.0.1", "::8.8.8.8"]],
  ["IPv4-mapped", ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::ffff:168.63.129.16"]],
  ["IPv4-translated (SIIT)", ["::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"]],
  ["NAT64 of a private address", ["64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b::7f00:1"]],
  ["local NAT64", ["64:ff9b:1::1", "64:ff9b:1::808:808"]],
  ["discard-only", ["100::1", "100:0:0:1::1"]],
  ["Teredo and other protocols", ["2001::1", "2001:0:7f00:1::", "2001:20::1", "2001:1ff:ffff::1"]],
  ["6to4", ["2002:7f00:1::", "2002:a00:1::1", "2002:808:808::1"]],
  ["segment routing", ["5f00::1"]],
  ["unique local", ["fc00::1", "fd00:ec2::254", "fdff:ffff::1"]],
  ["site-local", ["fec0::1"]],
  ["not an address as a parser gives it", ["", "localhost", "0x7f.1", "127.1", "010.0.0.1", "8.8.8", "fe80::1%eth0"]],
] as const;

const PERMITTED = [
  ...["1.0.0.0", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"],
  ...["128.0.0.1", "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0"],
  ...["191.255.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0"],
  ...[
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
  ],
  ...["2000::1", "2001:200::1", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2606:4700::1111", "2a00:1450::1"],
  ...["3ffe:ffff::1", "3fff:1000::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"],
];

describe.each(REFUSED)("refuses %s", (_, addresses) => {
  test.each(addresses)("%s", (address) => expect(isPublicAddress(address)).toBe(false));
});

describe("permits what is just outside", () => {
  test.each(PERMITTED)("%s", (address) => expect(isPublicAddress(address)).toBe(true));
});
