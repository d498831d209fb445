// What the service asks its facilitator when it starts: with the keys of CDP, and what it logs about the answer.
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { watchFacilitator } from "#server/payments/supported.ts";
import { startTestService } from "#test/support/service.ts";
import { PAY_TO } from "./rig.ts";

const KIND = { x402Version: 2, scheme: "exact", network: "eip155:84532" };
const NOBODY = "http://127.0.0.1:9";

/** Answers GET /supported with these kinds. */
async function startFacilitator(kinds: object[]) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ kinds }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x402` };
}

async function startPaid(environment: Parameters<typeof startTestService>[0]) {
  const service = await startTestService({
    ROLES: "web",
    PAYMENTS_ENABLED: "true",
    PAYMENTS_RPC_URL: NOBODY,
    PAYMENTS_PAY_TO: PAY_TO,
    ...environment,
  });
  onTestFinished(service.stop);
  return service;
}

test("with CDP_API_KEY_ID and CDP_API_KEY_SECRET every request carries a token of that key", async () => {
  const { asked, url } = await startFacilitator([KIND]);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await startPaid({
    PAYMENTS_FACILITATOR_URL: url,
    CDP_API_KEY_ID: "key-1",
    // In one line, as environment variables have it.
    CDP_API_KEY_SECRET: String(privateKey.export({ format: "pem", type: "pkcs8" })).replaceAll("\n", "\\n"),
  });
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  const token = asked[0]?.headers.authorization?.replace("Bearer ", "") ?? "";
  const [header = "", claims = "", signature = ""] = token.split(".");
  const { host } = new URL(url);
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
    sub: "key-1",
    uris: [`GET ${host}/x402/supported`],
  });
  const key = { key: createPublicKey(privateKey), dsaEncoding: "ieee-p1363" as const };
  const signed = Buffer.from(`${header}.${claims}`);
  expect(verify("sha256", signed, key, Buffer.from(signature, "base64url"))).toBe(true);
});

test("without these keys no token is sent", async () => {
  const { asked, url } = await startFacilitator([KIND]);
  await startPaid({ PAYMENTS_FACILITATOR_URL: url });
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  expect(asked[0]?.headers.authorization).toBeUndefined();
});

test.each([
  ["supports the network", [KIND], /"the facilitator supports the configured network"/],
  ["supports another network", [{ ...KIND, network: "eip155:1" }], /does not support the configured network/],
  ["supports the network by another scheme", [{ ...KIND, scheme: "upto" }], /does not support the configured network/],
  ["does not answer", undefined, /did not answer which networks it supports/],
])("a facilitator that %s is logged, and does not prevent the start", async (_, kinds, expected) => {
  const url = kinds ? (await startFacilitator(kinds)).url : NOBODY;
  const service = await startPaid({ PAYMENTS_FACILITATOR_URL: url });
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const watching = watchFacilitator({ ...service.system, log });
  onTestFinished(watching.stop);
  await expect.poll(() => lines.length).toBe(1);
  expect(lines[0]).toMatch(expected);
});
