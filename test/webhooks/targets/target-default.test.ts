// The default webhook targets: any on a developer's own machine, only public ones elsewhere.
import { expect, test } from "vitest";
import { readSettings } from "#server/base/env.ts";

const DATABASE_URL = "postgres://u:p@db.example/mailberth";

test.each([
  ["any", {}],
  ["any", { HOST: "localhost" }],
  ["any", { PUBLIC_URL: "http://localhost:3000" }],
  ["any", { PUBLIC_URL: "http://127.0.0.2" }],
  ["any", { PUBLIC_URL: "http://[::1]:3000" }],
  ["any", { PUBLIC_URL: "http://mail.localhost" }],
  // A proxy on this machine lets strangers in.
  ["public", { PUBLIC_URL: "https://mail.example.com" }],
  ["public", { PUBLIC_URL: "http://localhost.example.com" }],
  ["public", { PUBLIC_URL: "http://127.0.0.1.example.com" }],
  ["public", { PUBLIC_URL: "http://192.168.1.4:3000" }],
  ["public", { PUBLIC_URL: "http://127.0.0.1:3000", HOST: "0.0.0.0" }],
  ["any", { HOST: "::1", DATABASE_URL: "" }],
  ["public", { HOST: "0.0.0.0" }],
  ["public", { HOST: "192.0.2.1", DATABASE_URL }],
  // A worker without listening ports, on one machine of several.
  ["public", { DATABASE_URL, ROLES: "worker" }],
  ["public", { HOST: "127.0.0.1", DATABASE_URL }],
  ["any", { DATABASE_URL, WEBHOOK_TARGETS: "any" }],
  ["public", { WEBHOOK_TARGETS: "public" }],
])("%s with %j", (targets, environment) => {
  expect(readSettings(environment).WEBHOOK_TARGETS).toBe(targets);
});

test("http is allowed by default only where any target is", () => {
  expect(readSettings({}).ALLOW_INSECURE_WEBHOOKS).toBe(true);
  expect(readSettings({ PUBLIC_URL: "https://mail.example.com" }).ALLOW_INSECURE_WEBHOOKS).toBe(false);
  expect(readSettings({ DATABASE_URL }).ALLOW_INSECURE_WEBHOOKS).toBe(false);
  expect(readSettings({ DATABASE_URL, ALLOW_INSECURE_WEBHOOKS: "true" }).ALLOW_INSECURE_WEBHOOKS).toBe(true);
});
