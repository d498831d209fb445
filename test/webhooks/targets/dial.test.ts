// Which sockets are opened: the judged addresses and no others. Nothing here leaves loopback: the one address that counts as
// public is a loopback one, every name is under .invalid, and every refused one leads to a canary that must stay untouched:
// even with the guard taken out, no connection would leave.
import { afterEach, describe, expect, test } from "vitest";
import { createPoster, type Poster } from "#server/webhooks/delivery/post.ts";
import { createDial, dialFor, type Resolve } from "#server/webhooks/targets/dial.ts";
import { isPublicAddress } from "#server/webhooks/targets/public-address.ts";
import { type Receiver, startReceiver, status } from "../delivery/receiver.ts";
import { rulesOf } from "./rules.ts";

const TIMEOUT_MS = 5_000;
const REFUSED = expect.stringMatching(/^ADDRESS_REFUSED/);

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function receiver(answer?: Receiver["answer"]): Promise<Receiver> {
  const made = await startReceiver(answer);
  cleanups.push(made.close);
  return made;
}

function poster(permits: (ip: string) => boolean, resolve: Resolve): Poster {
  const made = createPoster(createDial(permits, resolve, TIMEOUT_MS), TIMEOUT_MS);
  cleanups.push(made.close);
  return made;
}

const post = (by: Poster, origin: string) => by.post({ origin, path: "/" }, [], "{}");
const onlyLoopbackOne = (ip: string) => ip === "127.0.0.1";

describe("with public addresses only", () => {
  test.each([["127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["127.0.0.1", "::1"]])(
    "a name that resolves to %j is refused",
    async (...addresses) => {
      const canary = await receiver();
      const by = poster(isPublicAddress, async () => addresses);
      for (const protocol of ["http", "https"]) {
        const answer = await post(by, `${protocol}://hooks.invalid:${canary.port}`);
        expect(answer).toMatchObject({ status: null, error: REFUSED });
      }
      expect(canary.connections).toBe(0);
    },
  );

  test.each([
    ["127.0.0.1", "127.0.0.2"],
    ["127.0.0.2", "127.0.0.1"],
    ["127.0.0.1", "::1"],
    ["::1", "127.0.0.2", "127.0.0.1"],
  ])("a name with one good address among %j is refused", async (...addresses) => {
    const canary = await receiver();
    const by = poster(onlyLoopbackOne, async () => addresses);
    expect(await post(by, `http://hooks.invalid:${canary.port}`)).toMatchObject({ status: null, error: REFUSED });
    expect(canary.connections).toBe(0);
  });

  test("a name without addresses is refused", async () => {
    const by = poster(isPublicAddress, async () => []);
    expect(await post(by, "http://hooks.invalid")).toMatchObject({ status: null, error: REFUSED });
  });

  test("a name that does not resolve is an error", async () => {
    const by = poster(isPublicAddress, () =>
      Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" })),
    );
    expect(await post(by, "http://x.invalid")).toMatchObject({
      status: null,
      error: expect.stringMatching(/ENOTFOUND/),
    });
  });

  test.each(["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"])(
    "the literal address %s is refused, without a look-up",
    async (host) => {
      const canary = await receiver();
      let lookups = 0;
      const by = poster(isPublicAddress, async () => {
        lookups += 1;
        return ["127.0.0.1"];
      });
      const answer = await post(by, new URL(`http://${host}:${canary.port}`).origin);
      expect(answer).toMatchObject({ status: null, error: REFUSED });
      expect([canary.connections, lookups]).toEqual([0, 0]);
    },
  );

  test("the settings choose it", async () => {
    const canary = await receiver();
    const origin = `http://127.0.0.1:${canary.port}`;
    const guarded = createPoster(dialFor(rulesOf({ WEBHOOK_TARGETS: "public" }), TIMEOUT_MS), TIMEOUT_MS);
    const open = createPoster(dialFor(rulesOf({ WEBHOOK_TARGETS: "any" }), TIMEOUT_MS), TIMEOUT_MS);
    cleanups.push(guarded.close, open.close);
    expect(await post(guarded, origin)).toMatchObject({ status: null, error: REFUSED });
    expect(canary.connections).toBe(0);
    expect(await post(open, origin)).toMatchObject({ status: 200 });
    expect(await post(open, `http://localhost:${canary.port}`)).toMatchObject({ status: 200 });
  });
});

describe("rebinding", () => {
  test("the address judged is the address dialled: one look-up a socket", async () => {
    const endpoint = await receiver(status(200, { connection: "close" }));
    let lookups = 0;
    const by = poster(onlyLoopbackOne, async () => {
      lookups += 1;
      return [lookups === 1 ? "127.0.0.1" : "127.0.0.2"];
    });
    const origin = `http://rebind.invalid:${endpoint.port}`;
    expect(await post(by, origin)).toMatchObject({ status: 200 });
    expect(lookups).toBe(1);
    // The next socket is judged anew.
    expect(await post(by, origin)).toMatchObject({ status: null, error: REFUSED });
    expect([lookups, endpoint.connections]).toEqual([2, 1]);
  });

  test("the Host header stays the name", async () => {
    const endpoint = await receiver();
    const by = poster(onlyLoopbackOne, async () => ["127.0.0.1"]);
    await post(by, `http://hooks.invalid:${endpoint.port}`);
    expect(endpoint.received[0]?.headers.host).toBe(`hooks.invalid:${endpoint.port}`);
  });
});

test("connections that are opened together share one look-up", async () => {
  const endpoint = await receiver();
  let lookups = 0;
  const by = poster(onlyLoopbackOne, async () => {
    lookups += 1;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return ["127.0.0.1"];
  });
  const origin = `http://hooks.invalid:${endpoint.port}`;
  await Promise.all(Array.from({ length: 20 }, () => post(by, origin)));
  expect([lookups, endpoint.received.length]).toEqual([1, 20]);
});

test("a proxy of the environment is not used", async () => {
  const [proxy, endpoint] = [await receiver(), await receiver()];
  const before = { ...process.env };
  const names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
  for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
  process.env.NODE_USE_ENV_PROXY = "1";
  try {
    const by = poster(onlyLoopbackOne, async () => ["127.0.0.1"]);
    expect(await post(by, `http://hooks.invalid:${endpoint.port}`)).toMatchObject({ status: 200 });
  } finally {
    for (const name of [...names, "NODE_USE_ENV_PROXY"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
  expect([proxy.connections, endpoint.connections]).toEqual([0, 1]);
});
