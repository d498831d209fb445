// Every argument of every tool with a value of the wrong type, and every tool with an argument that it does not have.
import { afterAll, describe, expect, test } from "vitest";
import { startTestService } from "#test/support/service.ts";
import { connect } from "./rig.ts";

/** Takes unknown arguments, as POST /v1/enroll does. */
const LENIENT = "redeem_enrollment_key";

const service = await startTestService({ RATE_LIMIT_PER_SECOND: "1000" });
const { agentKey } = await service.newOrganization();
const connected = await connect(service, agentKey);
const { tools } = await connected.client.listTools();
const withoutKey = await connect(service);
const [enroll] = (await withoutKey.client.listTools()).tools;
afterAll(async () => {
  await connected.close();
  await withoutKey.close();
  await service.stop();
});

type Issue = { path: string; message: string };
type Schema = { type?: unknown; properties?: Record<string, { type?: unknown }> };

const all = [...tools.filter(({ name }) => name !== LENIENT), ...(enroll ? [enroll] : [])].map(
  ({ name, inputSchema }) => [name, Object.entries((inputSchema as Schema).properties ?? {})] as const,
);

test("the tools are those of a key with every scope", () => {
  expect(all.length).toBeGreaterThanOrEqual(18);
});

describe.each(all)("%s", (name, properties) => {
  const door = name === LENIENT ? withoutKey : connected;

  test("an argument that it does not have", async () => {
    const { isError, body } = await door.call(name, { no_such_argument: 1 });
    if (name === LENIENT) expect([isError, body.code]).toEqual([true, "invalid_request"]);
    else {
      expect([isError, body.code]).toEqual([true, "unknown_field"]);
      expect((body.issues as Issue[])[0]?.path).toBe("no_such_argument");
    }
  });

  test(`wrong types: ${properties.map(([property]) => property).join(", ") || "none"}`, async () => {
    const accepted: object[] = [];
    for (const [property, { type }] of properties) {
      const { isError, body } = await door.call(name, { [property]: type === "object" ? [7] : { wrong: true } });
      const named = ((body.issues ?? []) as Issue[]).some(({ path }) => path.split(".")[0] === property);
      const isRefused = isError && (body.code === "invalid_request" || body.code === "unknown_field");
      if (!isRefused || !named) accepted.push({ property, ...body });
    }
    expect(accepted).toEqual([]);
  });
});
