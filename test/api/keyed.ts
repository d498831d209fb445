// What endpoints do alike, as tests that each endpoint's own file registers: who may call, and which bodies are read.
import { describe, expect, test } from "vitest";
import { SCOPES, type Scope } from "#server/base/context.ts";
import type { Answer, Api, Failure } from "#test/support/api.ts";
import type { TestService } from "#test/support/service.ts";

type Endpoint = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** A path that would be answered with success, or with 404 where there is nothing yet. */
  path: string;
  /** The methods of the path, as `Allow` says them. */
  allow: string;
  scope?: Scope;
  json?: object;
};

const OTHER_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Registers 403: every scope but the one is refused by its name, the one alone is enough. */
function describeScope(service: TestService, scope: Scope, call: (key: string) => Promise<Answer<Failure>>): void {
  describe("403", () => {
    test(`insufficient_scope names ${scope}`, async () => {
      const { enrollmentKeyId } = await service.newOrganization();
      const { key } = await service.newAgentKey(enrollmentKeyId, { scopes: SCOPES.filter((one) => one !== scope) });
      const { status, body, headers } = await call(key);
      expect([status, body.error.code]).toEqual([403, "insufficient_scope"]);
      expect(body.error.message).toContain(scope);
      expect(headers["ratelimit-limit"]).toBeDefined();
    });

    test(`the scope ${scope} alone is enough`, async () => {
      const { enrollmentKeyId } = await service.newOrganization();
      const { key } = await service.newAgentKey(enrollmentKeyId, { scopes: [scope] });
      expect((await call(key)).status).not.toBe(403);
    });
  });
}

/** Registers 401 (every kind of bad key), 403 (each scope alone but the one) and 405. */
export function describeKeyed(service: TestService, client: Api, { method, path, allow, scope, json }: Endpoint): void {
  const call = (key: string | undefined, headers: Record<string, string> = {}) =>
    client.call(method, path, { key, json, headers });

  describe("401", () => {
    test("without a key", async () => {
      const { status, body, headers } = await call(undefined);
      expect([status, body.error.code]).toEqual([401, "unauthorized"]);
      expect(headers["www-authenticate"]).toMatch(/^Bearer/);
    });

    test("with a key that is mistyped, of another kind, or in another form", async () => {
      const { agentKey, enrollmentKey } = await service.newOrganization();
      const typo = agentKey.slice(0, -1) + (agentKey.endsWith("0") ? "1" : "0");
      for (const key of ["", "nonsense", "mb_agent_", typo, agentKey.toUpperCase(), `${agentKey}x`, enrollmentKey]) {
        const { status, body } = await call(key);
        expect([key, status, body.error.code]).toEqual([key, 401, "unauthorized"]);
        if (key) expect(JSON.stringify(body)).not.toContain(key);
      }
      for (const authorization of [agentKey, `Basic ${agentKey}`, `Bearer ${agentKey} x`, "Bearer"]) {
        expect((await call(undefined, { authorization })).status).toBe(401);
      }
    });

    test("with a key that has expired", async () => {
      const { enrollmentKeyId } = await service.newOrganization();
      const expired = await service.newAgentKey(enrollmentKeyId, { expiresAt: new Date(Date.now() - 1) });
      expect((await call(expired.key)).status).toBe(401);
    });
  });

  if (scope) describeScope(service, scope, call);

  describe("405", () => {
    test("for other methods, with Allow, key or no key", async () => {
      const { agentKey: key } = await service.newOrganization();
      const others = OTHER_METHODS.filter((other) => !allow.split(", ").includes(other));
      for (const other of others) {
        for (const request of [{ key }, {}]) {
          const { status, headers, body } = await client.call(other, path, request);
          expect([other, status, body.error.code]).toEqual([other, 405, "method_not_allowed"]);
          expect(headers.allow).toBe(allow);
        }
      }
    });
  });
}

/** Registers 400 (what is no JSON object), 413 and 415 for an endpoint that takes a body of at most `maxBytes`. */
export function describeBody(
  service: TestService,
  client: Api,
  endpoint: { method: "POST" | "PATCH"; path: string; keyed?: boolean; maxBytes?: number },
): void {
  const { method, path, keyed = true, maxBytes = 1_048_576 } = endpoint;
  const send = async (body: string | Buffer | undefined, type?: string) => {
    const { agentKey } = await service.newOrganization();
    const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
    return client.call(method, path, { key: keyed ? agentKey : undefined, body, headers });
  };

  describe("400 for the body as such", () => {
    test("invalid_json", async () => {
      const broken = ["{", "{]", "{'a':1}", '{"a":}', "\0", "NaN", '{"a":1}x', "﻿{", Buffer.from([0x22, 0xff, 0x22])];
      for (const text of broken) {
        const { status, body } = await send(text, "application/json");
        expect([text, status, body.error.code]).toEqual([text, 400, "invalid_json"]);
      }
    });

    test("invalid_request for JSON that is no object", async () => {
      for (const text of ["[1,2]", "[]", '"abc"', "null", "5", "true", `${"[".repeat(8_000)}${"]".repeat(8_000)}`]) {
        const { status, body } = await send(text, "application/json");
        expect([text.slice(0, 9), status, body.error.code]).toEqual([text.slice(0, 9), 400, "invalid_request"]);
        expect(body.error.issues?.length).toBeGreaterThan(0);
      }
    });
  });

  describe("413", () => {
    test("over the limit, seen by a client that sends it all", async () => {
      const { status, body } = await send(Buffer.alloc(maxBytes + 1, "x"), "application/json");
      expect([status, body.error.code]).toEqual([413, "payload_too_large"]);
      expect(body.error.message).toContain(String(maxBytes));
    });
  });

  describe("415", () => {
    test("for a body of another type, charset or none", async () => {
      for (const type of [undefined, "text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""]) {
        const { status, body } = await send("{}", type);
        expect([type, status, body.error.code]).toEqual([type, 415, "unsupported_media_type"]);
      }
      expect((await send("{}", "application/json; charset=iso-8859-1")).status).toBe(415);
    });

    test("not for UTF-8 by any name, nor for an absent body", async () => {
      for (const type of [
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
        "Application/JSON ; charset=UTF8",
      ]) {
        expect((await send("{}", type)).status).not.toBe(415);
      }
      expect((await send(undefined)).status).not.toBe(415);
      expect((await send(undefined, "text/plain")).status).not.toBe(415);
    });
  });
}
