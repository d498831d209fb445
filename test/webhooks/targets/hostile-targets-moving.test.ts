// Targets that change between one look and the next, or lead on to another: each look-up is judged with all its answers, and a
// kept socket leads to the address that was judged for it.
import { Agent } from "undici";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Answer, createPoster } from "#server/webhooks/delivery/post.ts";
import { dialFor } from "#server/webhooks/targets/dial.ts";
import type { Zone, ZoneName } from "#test/support/zone.ts";
import { status } from "../delivery/receiver.ts";
import { rulesOf } from "./rules.ts";
import { type SealedNetwork, sealNetwork } from "./sealed-network.ts";

const RULES = { WEBHOOK_TARGETS: "public" } as const;
const TIMEOUT_MS = 20_000;
const [GOOD, OTHER, GOOD_6] = ["8.8.8.8", "1.1.1.1", "2606:4700::1111"];
const MANY = Array.from({ length: 25 }, (_, i) => `9.9.9.${i + 1}`);
const TRIED_MAX = 8;

let network: SealedNetwork;
let zone: Zone;
const agents: Agent[] = [];
const dial = dialFor(rulesOf(RULES), TIMEOUT_MS);

beforeEach(async () => {
  zone = {};
  network = await sealNetwork([GOOD, OTHER, GOOD_6, ...MANY], zone);
});
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.destroy();
  await network.close();
});

/** Pools of sockets, as one organization has them. */
function pools(): Agent {
  const agent = new Agent({ connect: dial, pipelining: 1, connections: 1 });
  agents.push(agent);
  return agent;
}

async function send(by: Agent, origin: string): Promise<number | string> {
  try {
    const { statusCode, body } = await by.request({ origin, path: "/", method: "POST", body: "{}" });
    await body.dump();
    return statusCode;
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

/** One attempt after the other at hooks.example.com, each for an organization, through one poster as a dispatcher has it. */
async function postFor(...organizations: string[]): Promise<Answer[]> {
  const poster = createPoster(dial, TIMEOUT_MS);
  const answers: Answer[] = [];
  for (const organization_id of organizations) {
    answers.push(await poster.post({ origin: "http://hooks.example.com", path: "/", organization_id }, [], "{}"));
    // undici returns a socket to the pool shortly after the answer.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await poster.close();
  return answers;
}

/** Gives the first answer once, and the others from then on. */
function moving(...answers: string[][]): ZoneName {
  let asked = 0;
  return {
    get A() {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? [];
      asked += 1;
      return answer;
    },
  };
}

describe("a name that moves to loopback", () => {
  test("after it was judged is dialled where it was judged, and refused at the next socket", async () => {
    zone["hooks.example.com"] = moving([GOOD], ["127.0.0.1"]);
    network.reached.answer = status(200, { connection: "close" });
    const by = pools();
    expect(await send(by, "http://hooks.example.com")).toBe(200);
    expect(await send(by, "http://hooks.example.com")).toBe("ADDRESS_REFUSED");
    expect(network.dialled).toEqual([`${GOOD} 80`]);
    expect(network.asked.filter((question) => question.startsWith("A "))).toHaveLength(2);
    expect(network.canary.connections).toBe(0);
  });

  test("and back is refused while it is there", async () => {
    zone["hooks.example.com"] = moving(["127.0.0.1"], [GOOD], ["169.254.169.254"]);
    network.reached.answer = status(200, { connection: "close" });
    const by = pools();
    const answers: unknown[] = [];
    for (let i = 0; i < 3; i += 1) answers.push(await send(by, "http://hooks.example.com"));
    expect(answers).toEqual(["ADDRESS_REFUSED", 200, "ADDRESS_REFUSED"]);
    expect(network.dialled).toEqual([`${GOOD} 80`]);
  });

  test("leaves a kept socket where it was, to the judged address, and no new one is opened", async () => {
    zone["hooks.example.com"] = moving([GOOD], ["127.0.0.1"]);
    const by = pools();
    for (let i = 0; i < 3; i += 1) expect(await send(by, "http://hooks.example.com")).toBe(200);
    expect(network.dialled).toEqual([`${GOOD} 80`]);
    expect([network.reached.connections, network.canary.connections]).toEqual([1, 0]);
  });

  test("gets another organization's delivery refused, though a socket of that name is kept", async () => {
    zone["hooks.example.com"] = moving([GOOD], ["127.0.0.1"]);
    const [one, another, oneAgain] = await postFor("one", "another", "one");
    expect(one).toMatchObject({ status: 200 });
    expect(another).toMatchObject({ status: null, error: expect.stringMatching(/^ADDRESS_REFUSED/) });
    expect(oneAgain).toMatchObject({ status: 200 });
    expect([network.reached.connections, network.canary.connections]).toEqual([1, 0]);
  });

  test("or to another host: another organization's delivery goes there", async () => {
    zone["hooks.example.com"] = moving([GOOD], [OTHER]);
    await postFor("one", "another", "one");
    expect(network.dialled).toEqual([`${GOOD} 80`, `${OTHER} 80`]);
  });
});

describe("a name with several answers", () => {
  test.each<[string, ZoneName]>([
    ["public and loopback", { A: [GOOD, "127.0.0.1"] }],
    ["loopback and public", { A: ["127.0.0.1", GOOD] }],
    ["A public, AAAA loopback", { A: [GOOD], AAAA: ["::1"] }],
    ["A loopback, AAAA public", { A: ["127.0.0.1"], AAAA: [GOOD_6] }],
    ["A public, AAAA mapped loopback", { A: [GOOD], AAAA: ["::ffff:7f00:1"] }],
    ["A public, AAAA unique local", { A: [GOOD], AAAA: ["fd00:ec2::254"] }],
    ["the last of many", { A: [...MANY, "10.0.0.1"] }],
    ["AAAA loopback alone", { AAAA: ["::1"] }],
  ])("%s is refused", async (_, answers) => {
    zone["hooks.example.com"] = answers;
    expect(await send(pools(), "http://hooks.example.com")).toBe("ADDRESS_REFUSED");
    expect([network.dialled, network.canary.connections]).toEqual([[], 0]);
  });

  test("all public passes, and a few of many are tried", async () => {
    zone["hooks.example.com"] = { A: MANY };
    expect(await send(pools(), "http://hooks.example.com")).toBe(200);
    expect(network.dialled).toHaveLength(TRIED_MAX);
    zone["both.example.com"] = { A: [GOOD], AAAA: [GOOD_6] };
    expect(await send(pools(), "http://both.example.com")).toBe(200);
    expect(network.dialled.slice(TRIED_MAX)).toEqual([`${GOOD} 80`, `${GOOD_6} 80`]);
  });

  test("one family that fails does not stop the other", async () => {
    zone["hooks.example.com"] = { A: [GOOD], fails: "ESERVFAIL" };
    expect(await send(pools(), "http://hooks.example.com")).toBe(200);
  });
});

describe("a chain of aliases", () => {
  const chain = (end: ZoneName): Zone => ({
    "hooks.example.com": { CNAME: ["a.example.net"] },
    "a.example.net": { CNAME: ["b.example.net"] },
    "b.example.net": { CNAME: ["localhost.example.net"] },
    "localhost.example.net": end,
  });

  test.each<[string, ZoneName]>([
    ["loopback", { A: ["127.0.0.1"] }],
    ["metadata", { A: ["169.254.169.254"] }],
    ["IPv6 loopback", { AAAA: ["::1"] }],
    ["both", { A: [GOOD], AAAA: ["::1"] }],
  ])("that ends at %s is refused", async (_, end) => {
    Object.assign(zone, chain(end));
    expect(await send(pools(), "http://hooks.example.com")).toBe("ADDRESS_REFUSED");
    expect([network.dialled, network.canary.connections]).toEqual([[], 0]);
  });

  test("that ends outside passes", async () => {
    Object.assign(zone, chain({ A: [GOOD] }));
    expect(await send(pools(), "http://hooks.example.com")).toBe(200);
  });
});

test("the hosts file and search domains have no say", async () => {
  await network.close();
  network = await sealNetwork([GOOD], zone, { "hooks.example.com": ["127.0.0.1"], "db.example.com": [GOOD] });
  zone["hooks.example.com"] = { A: [GOOD] };
  expect(await send(pools(), "http://hooks.example.com")).toBe(200);
  expect(await send(pools(), "http://db.example.com")).toBe("ENOTFOUND");
});

describe.each([300, 301, 302, 303, 305, 307, 308])("a redirect by %i", (code) => {
  test.each([
    "http://127.0.0.1/admin",
    "https://127.0.0.1/",
    "//127.0.0.1/",
    "http://localhost/",
    "http://[::1]/",
    "http://evil.example.com/",
    "http://hooks.example.com:22/",
    "file:///etc/passwd",
  ])("to %s is the answer, and is not followed", async (location) => {
    Object.assign(zone, { "hooks.example.com": { A: [GOOD] }, "evil.example.com": { A: ["127.0.0.1"] } });
    network.reached.answer = status(code, { location, refresh: `0;url=${location}`, "alt-svc": 'h2="127.0.0.1:443"' });
    expect(await postFor("one")).toMatchObject([{ status: code }]);
    expect(network.dialled).toEqual([`${GOOD} 80`]);
    expect(network.asked).not.toContain("A evil.example.com");
    expect(network.canary.connections).toBe(0);
  });
});
